import { connect } from 'node:http2';

const describeNamespace = '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace';

/**
 * Whether a Temporal server answers at `address` (host:port) and has the namespace, by one gRPC call within `limitMs`.
 * Spoken directly: a client of the SDK costs 0.4 s to load, and retries in the background after it was closed.
 */
export async function probeTemporal(address: string, namespace: string, limitMs = 2_000): Promise<boolean> {
  const session = connect(`http://${address}`);
  try {
    return await new Promise<boolean>((resolve) => {
      const no = () => resolve(false);
      session.once('error', no).setTimeout(limitMs, no);
      const call = session.request({
        ':method': 'POST',
        ':path': describeNamespace,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      call.once('error', no).setTimeout(limitMs, no);
      // Without a body the status comes with the headers.
      const settle = (headers: { 'grpc-status'?: string | string[] }) => {
        if (headers['grpc-status'] !== undefined) resolve(headers['grpc-status'] === '0');
      };
      call.once('response', settle).once('trailers', settle).once('close', no).resume();
      call.end(grpcFrame(namespace));
    });
  } finally {
    session.destroy();
  }
}

/** DescribeNamespaceRequest{1: namespace} in the five-byte frame of gRPC, uncompressed. */
function grpcFrame(namespace: string): Buffer {
  const name = Buffer.from(namespace);
  const message = Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}
