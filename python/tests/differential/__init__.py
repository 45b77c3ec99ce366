"""Random programs that run on the embedded database and on HappyBase with the server."""
