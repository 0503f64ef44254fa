"""How colours look: contrast, lightness, difference, and what a colour-blind reader sees.

The matrices are those of severity 1.0 in Machado, Oliveira & Fernandes (2009), "A
Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), table 1;
they act on linear RGB. The difference is CIEDE2000 as in Sharma, Wu & Dalal (2005).
"""

import math

import numpy as np

HEALTHY = "normal"
_MACHADO = {
    HEALTHY: np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
KINDS = tuple(_MACHADO)
_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(rgb):
    """Red, green and blue of 0 … 255 as light."""
    part = np.asarray(rgb, dtype=float) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def over(rgb, alpha, page):
    """A colour of this opacity on a page."""
    return tuple(alpha * np.asarray(rgb, float) + (1 - alpha) * np.asarray(page, float))


def contrast(one, other):
    """As WCAG 2 defines it, 1 … 21."""
    low, high = sorted(float(_XYZ[1] @ linear(rgb)) for rgb in (one, other))
    return (high + 0.05) / (low + 0.05)


def lightness(rgb):
    """L* of CIELAB, 0 … 100."""
    return _lab(linear(rgb))[0]


def difference(one, other, vision):
    """CIEDE2000 between two colours as this reader sees them."""
    seen = (np.clip(np.asarray(_MACHADO[vision]) @ linear(rgb), 0, 1) for rgb in (one, other))
    return ciede2000(*map(_lab, seen))


def _lab(light):
    x, y, z = _XYZ @ light / np.array([0.95047, 1, 1.08883])
    f = [math.cbrt(t) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one, other):
    """The difference of two colours in CIELAB."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey = c1 * c2 == 0
    turn = 0.0 if grey else (h2 - h1 + 180) % 360 - 180
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    chroma = (c1 + c2) / 2
    if grey:
        hue = h1 + h2
    elif abs(h1 - h2) <= 180:
        hue = (h1 + h2) / 2
    else:
        hue = (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2

    def cos(degrees):
        return math.cos(math.radians(degrees))

    t = 1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue)
    t += 0.32 * cos(3 * hue + 6) - 0.2 * cos(4 * hue - 63)
    light = ((l1 + l2) / 2 - 50) ** 2
    sl, sc = 1 + 0.015 * light / math.sqrt(20 + light), 1 + 0.045 * chroma
    sh = 1 + 0.015 * chroma * t
    turned = 2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    turned *= -math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    parts = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return math.sqrt(sum(part**2 for part in parts) + turned * parts[1] * parts[2])
