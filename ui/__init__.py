"""What the pages share: session, language, figures, arithmetic, and the matrix component."""
