"""What students read: messages by id, in English and Chinese, as data apart from the code that finds the mistake."""
