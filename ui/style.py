"""Constant style of the frame: only on classes of our own (``st-key-…``)."""

# On a wide screen the page takes back most of Streamlit's margins, which a matrix needs more.
STYLE = """
<style>
.st-key-corner { position: fixed; top: .45rem; right: 1.4rem; z-index: 1000000; width: auto; }
.st-key-corner button[kind="tertiary"] { padding: 0 .25rem; }
.st-key-corner > .st-key-closing { position: absolute; pointer-events: none; }
.st-key-page { gap: .6rem !important; }
/* Nothing in it scrolls, so that it is no stop for the keyboard; no letter's tail is cut. */
.st-key-page-title { min-height: 2.2rem; overflow: visible !important; }
/* A notice moves nothing: whoever was about to click a cell still hits it. */
[data-testid="stLayoutWrapper"]:has(> .st-key-notices) {
  position: fixed; bottom: 1rem; left: 50%; transform: translateX(-50%); z-index: 999999;
  width: min(40rem, 92vw); background: Canvas; border-radius: .5rem;
}
/* Plotly shows a hand where nothing can be clicked. */
.st-key-page .js-plotly-plot .nsewdrag { cursor: default !important; }
.st-key-page h1 { padding: 0; margin: 0 0 .6rem; font-size: 1.1rem; }
/* Streamlit's own grey has a contrast of 4.2 : 1 on white. */
:is(.st-key-page, [role="dialog"]) [data-testid="stCaptionContainer"] {
  color: inherit !important; opacity: .78;
}
.st-key-page kbd { color: light-dark(#4a5058, #c0c6cd) !important; opacity: 1 !important; }
/* The button for a picture's numbers lies in the picture's corner. */
[class*="st-key-picture-"] { position: relative; }
[class*="st-key-more-"] {
  position: absolute; top: -.5rem; right: -1.55rem; width: auto; z-index: 5; opacity: .45;
}
[class*="st-key-more-"]:is(:hover, :focus-within) { opacity: 1; }
/* More of a script at a glance. */
.st-key-code-text pre code { font-size: .78rem; line-height: 1.4; }
/* Streamlit's colours of code are too faint to read. */
.st-key-code-text .token { color: inherit !important; }
.st-key-code-text :is(.token.comment, .linenumber) {
  color: light-dark(#5b6169, #a9b1bb) !important;
}
.st-key-code-text .token.string { color: light-dark(#0a6b2d, #6fd69a) !important; }
.st-key-code-text .token:is(.keyword, .boolean, .number, .builtin) {
  color: light-dark(#0b57a4, #7ab8f5) !important;
}
.st-key-page .katex-display { overflow-y: hidden; padding-right: 4px; }
/* A button that shows an icon alone is wide enough for a finger. */
:is(.st-key-corner, .st-key-page-head, .st-key-lecture-list, .st-key-soft-reset,
  .st-key-lecture-way [class*="st-key-"]:not(.st-key-lecture-overview),
  [class*="st-key-more-"], [class*="-chevron_"])
  button[kind="tertiary"] { min-width: 1.5rem; }
/* It has its name for whoever does not see it. */
:is(.st-key-corner, .st-key-page-head, .st-key-lecture-list, .st-key-soft-reset,
  .st-key-lecture-way [class*="st-key-"]:not(.st-key-lecture-overview),
  [class*="st-key-more-"], [class*="-chevron_"])
  button[kind="tertiary"] [data-testid="stMarkdownContainer"] {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
/* A link to each heading is one more stop for the keyboard; the address holds all there is. */
:is(.st-key-page, [role="dialog"]) [data-testid="stHeaderActionElements"] { display: none; }
/* Streamlit marks a link that has the focus by a faint grey alone. */
.stApp a:focus-visible {
  outline: 2px solid light-dark(#2563a8, #6aa9e9) !important; outline-offset: -2px;
}
/* The steps of the summary lie close together. */
.st-key-summary-steps [data-testid="stPageLink"] a { padding: 0 .4rem; min-height: 1.6rem; }
/* What is taken home stands below the values, without a gap; so the words beside it make room. */
.st-key-idea-found { padding-right: 2.4rem; }
/* Numbers that belong to a picture above them. */
[class*="st-key-numbers-"] { overflow-x: auto; }
[class*="st-key-numbers-"] :is(th, td) { padding: .1rem .6rem; font-size: .85rem; }
/* A formula in a line of text needs no room of its own above and below. */
.st-key-arithmetic .katex-display { margin: .3rem 0; }
/* Plotly's grey is too faint on white; the page's own colour also follows light and dark. */
.st-key-page .js-plotly-plot :is(.cartesianlayer, .infolayer) text {
  fill: currentColor !important;
}
/* In a hover text the number has the page's own colour, the name a box that is always white. */
.st-key-page .js-plotly-plot .hoverlayer .nums { fill: currentColor !important; }
.st-key-page .js-plotly-plot .hoverlayer .name { fill: #1d2530 !important; }
/* The ink of the grey palette (ui/palettes.py) is the page's own: dark on light, light on dark. */
.st-key-page .js-plotly-plot
  :is(.cartesianlayer, .shapelayer, .layer-above, .layer-below, .infolayer)
  [style*="fill: rgb(119, 119, 118)"] { fill: currentColor !important; }
.st-key-page .js-plotly-plot
  :is(.cartesianlayer, .shapelayer, .layer-above, .layer-below, .infolayer)
  [style*="stroke: rgb(119, 119, 118)"],
.st-key-page .js-plotly-plot pattern [stroke="rgb(119, 119, 118)"] {
  stroke: currentColor !important;
}
/* Whoever asks their machine for less motion gets none of Streamlit's; lists and hints that open
   lie outside of the app. */
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after {
    animation: none !important; transition: none !important; scroll-behavior: auto !important;
  }
}
@media (min-width: 800px) {
  .st-key-page { margin: -4.9rem -3.4rem -9.9rem; width: calc(100% + 6.8rem); max-width: none; }
}
@media (max-width: 799px) {
  .st-key-corner { z-index: 999990; }  /* below the menu, whose button to close it would hide */
  [class*="st-key-more-"] { right: 0; }
  /* Beside steps they are one more way; here each would take a line. */
  .st-key-page [class*="-chevron_"] { display: none; }
  .st-key-page-title { flex-wrap: wrap; }
  /* Pictures keep a width at which their words do not lie on each other, and scroll. */
  [class*="st-key-start-"]:has(.js-plotly-plot), .st-key-heads-grid, .st-key-scaling-own,
  .st-key-law-learning, .st-key-soft-heat, .st-key-soft-curves, .st-key-summary-pipeline,
  .st-key-mask-two, .st-key-mask-ways,
  [class*="st-key-race-"]:has(.js-plotly-plot) { overflow-x: auto; }
  [class*="st-key-start-"]:has(.js-plotly-plot) > *, .st-key-heads-grid > *,
  .st-key-scaling-own > *, .st-key-law-learning > *,
  .st-key-soft-heat > *, .st-key-soft-curves > *, .st-key-summary-pipeline > *,
  .st-key-mask-two > *, .st-key-mask-ways > *,
  [class*="st-key-race-"]:has(.js-plotly-plot) > * { min-width: 860px; }
}
</style>
"""

# A lecture screen is about 860 large pixels wide, whatever it is: Streamlit's smallest text has 14
# of them, so at least 20 of the screen's own. Plotly measures its room without the zoom and would
# take it twice; its texts are enlarged in the figure (ui/enlarge.py).
LECTURE = """
<style>
[data-testid="stHeader"], .st-key-corner, [class*="st-key-more-"] { display: none !important; }
.lecture-dark body::after {
  content: ""; position: fixed; inset: 0; background: #000; z-index: 9999999;
}
@media (min-width: 800px) {
  :root { --lecture: 1.5; }
  .st-key-page {
    position: fixed; inset: 0; width: auto !important; margin: 0; padding: .5rem 1rem 0;
    overflow: hidden auto; zoom: var(--lecture); --least-font: 13.5px; gap: .5rem !important;
  }
  [role="dialog"] > * { zoom: var(--lecture); }
  .st-key-lecture-places button p { white-space: normal; }
  .st-key-page .stPlotlyChart > div { zoom: calc(1 / var(--lecture)); }
  .st-key-page .st-key-page-title { min-height: 1.8rem; padding-right: 9.5rem; }
  .st-key-page h1 { margin: 0; }
  /* Steppers would take the room of the number. */
  .st-key-page [data-testid="stNumberInput"] button { display: none; }
  .st-key-page .st-key-lecture-way { position: absolute; top: .1rem; right: .5rem; width: auto; }
  .st-key-lecture-overview button { padding: 0 .3rem; }
  .st-key-page [class*="st-key-numbers-"] :is(th, td) { font-size: .86rem; }
  .st-key-page [class*="st-key-idea-"] { gap: .5rem; }
  /* Words that have the screen for themselves. */
  .st-key-page :is(.st-key-idea-words, .st-key-idea-task, .st-key-idea-why, .st-key-idea-found,
    [class*="st-key-idea-said"]) :is(p, th, td) { font-size: 1.25rem; line-height: 1.5; }
  .st-key-page [data-testid="stElementContainer"].st-key-lecture-keys,
  .st-key-page .st-key-lecture-keys { position: absolute; width: 1px; }
  .st-key-page .katex { font-size: 1.7em; }
  .st-key-page :is(code, code *) { font-size: .86rem !important; }
  .st-key-numbers-code .katex { font-size: 1.45em; }
}
@media (min-width: 1400px) { :root { --lecture: 1.6; } }
@media (min-width: 1580px) { :root { --lecture: 1.85; } }
@media (min-width: 1880px) { :root { --lecture: 2.2; } }
</style>
"""
