"""The only part of the package that knows Streamlit: state, cached calls, widgets."""
