"""What the page Glossary is made of."""
