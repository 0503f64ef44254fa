"""Attention Explorer: ``streamlit run app.py``."""

from ui import shell

shell.route()
