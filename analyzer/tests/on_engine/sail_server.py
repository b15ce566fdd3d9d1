"""Serves Spark Connect by Sail until stdin ends: prints the port first. SAIL_MODE=local-cluster starts workers."""

import sys

from pysail.spark import SparkConnectServer

server = SparkConnectServer(port=0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
