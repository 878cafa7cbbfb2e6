"""What goes back to the platform: filled gradebooks, pages as each platform takes them, mails."""
