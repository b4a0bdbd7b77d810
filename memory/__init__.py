"""What is remembered and by which rules: models, use cases, domain decisions and the model gateway."""
