/** The address to which the function of a custom resource sends its answer: CloudFormation's, on a loopback address. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CustomResourceAnswer {
  readonly Status: 'SUCCESS' | 'FAILED';
  readonly Reason?: string;
  readonly PhysicalResourceId: string;
  readonly [field: string]: unknown;
}

export interface AnswerAddress {
  readonly url: string;
  /** In their order. */
  readonly answers: readonly CustomResourceAnswer[];
  close(): void;
}

export const openAnswerAddress = async (): Promise<AnswerAddress> => {
  const answers: CustomResourceAnswer[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    // The address is signed without a content type: S3 would refuse any.
    const isSigned = request.method === 'PUT' && request.headers['content-type'] === undefined;
    if (isSigned) answers.push(JSON.parse(body) as CustomResourceAnswer);
    response.writeHead(isSigned ? 200 : 403).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/answer`, answers, close };
};
