/** What a store answers, read no further than it may be: it is the customer's, and may be anything. */
import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { answerMaxBytes, readBody } from './bounded-body.ts';
import { type Asked, tooLarge, tooShort } from './extent.ts';
import { StorageError } from './store.ts';

interface RawAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Every answer but an object is read before the client parses it, up to its bound. */
export const boundAnswers = ({ middlewareStack }: S3Client): void =>
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const answer = result.response as RawAnswer;
        const isObject = commandName === 'GetObjectCommand' && answer.statusCode < 300;
        if (isObject || !(answer.body instanceof Readable)) return result;
        answer.body = Readable.from([await readBody(answer.body, answerMaxBytes)]);
        return result;
      },
    // The lowest is next to the wire: nothing of the client's own has read the body yet.
    { step: 'deserialize', priority: 'low', name: 'boundAnswers', override: true },
  );

/** The body of an object, which must be as long as was said and, of a range, as was asked. */
export const readObject = async (
  { Body, ContentLength }: GetObjectCommandOutput,
  { range, maxBytes }: Asked,
): Promise<Uint8Array> => {
  const body = Body instanceof Readable ? Body : Readable.from([]);
  try {
    if (ContentLength !== undefined && ContentLength > maxBytes) throw tooLarge();
    const bytes = await readBody(body, maxBytes);
    if (ContentLength !== undefined && bytes.length !== ContentLength)
      throw new StorageError('unavailable', 'The answer of the store ended early.');
    if (range && bytes.length !== range.length) throw tooShort();
    return bytes;
  } finally {
    body.destroy();
  }
};
