"""`POST /v1/embeddings`: OpenAI's request and response, through the embedder that recall uses."""
