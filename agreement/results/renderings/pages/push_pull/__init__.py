"""Push against pull on a stream: the page, its strip, timeline, differences and rules; pictures of it."""
