"""What stands around every page: sidebar, links, session, cache, navigation."""
