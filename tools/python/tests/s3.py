"""A server of S3 on this machine, for jobs that read and write stores."""

import importlib.util
import logging
import os
from pathlib import Path

from pyarrow.fs import FileSystem

#: Newer versions of Hadoop have units in these, which its client of S3 that PyPI has cannot read.
_WITHOUT_UNITS = {
    "connection.establish.timeout": "5000",
    "connection.timeout": "200000",
    "multipart.purge.age": "86400",
    "threads.keepalivetime": "60",
}


def is_here():
    """Whether the server and Hadoop's client of it are installed."""
    return all(map(importlib.util.find_spec, ("moto", "flask", "sagemaker_pyspark")))


def serve(bucket):
    """Starts a server with a bucket, for all clients of this process; returns what Spark is told of it."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }
    files, root = FileSystem.from_uri(f"s3://{bucket}/?allow_bucket_creation=true")
    files.create_dir(root)
    # Beside much that is not wanted, this package has the jars of hadoop-aws.
    jars = Path(importlib.util.find_spec("sagemaker_pyspark").submodule_search_locations[0]) / "jars"
    wanted = [str(jar) for name in ("hadoop-aws-*.jar", "aws-java-sdk-bundle-*.jar") for jar in jars.glob(name)]
    told = _WITHOUT_UNITS | {
        "aws.credentials.provider": "com.amazonaws.auth.EnvironmentVariableCredentialsProvider",
        "directory.marker.retention": "keep",  # the default of newer clients: fewer requests
        "endpoint": os.environ["AWS_ENDPOINT_URL"],
        "path.style.access": "true",
    }
    classes = {f"spark.{process}.extraClassPath": os.pathsep.join(wanted) for process in ("driver", "executor")}
    return classes | {f"spark.hadoop.fs.s3a.{name}": value for name, value in told.items()}
