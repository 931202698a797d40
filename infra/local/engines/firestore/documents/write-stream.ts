import { randomUUID } from 'node:crypto';
import { databaseName, parseDatabaseName } from '../base/document-name.ts';
import { type Method, RpcError } from '../base/types.ts';
import { decodeRequest, proto, timestampOf, type WriteRequest } from '../proto/codecs.ts';
import type { StoredDatabase } from '../storage/database.ts';
import type { Databases } from '../storage/databases.ts';
import { commitWrites, parseWrite } from '../write/commit-writes.ts';

/** The unacknowledged responses of a stream, kept for a resume. */
interface WriteStream {
  readonly id: string;
  readonly database: string;
  /** The number of the last response; tokens contain one. */
  given: number;
  acknowledged: number;
  readonly answers: Map<number, Uint8Array>;
}

/** Resumable streams; the oldest are dropped first. */
const maxStreams = 1000;

/**
 * Write: the first request opens or resumes a stream, each later one is a commit, in order. The token of a request
 * acknowledges all responses up to it; a resumed stream repeats the responses after its token.
 */
export const writeStream = (databases: Databases): Method => {
  const streams = new Map<string, WriteStream>();
  return {
    kind: 'bidi',
    run: async function* (requests) {
      let database: StoredDatabase | undefined;
      let stream: WriteStream | undefined;
      for await (const bytes of requests) {
        const request = decodeRequest(proto.WriteRequest, bytes);
        if (!database || !stream) {
          database = databases.open(parseDatabaseName(request.database));
          stream = opened(streams, request, databaseName(database));
          const again = [...stream.answers.values()];
          yield [...again, proto.WriteResponse.encode({ streamId: stream.id, streamToken: tokenOf(stream.given) })];
          continue;
        }
        acknowledge(stream, request.streamToken);
        if (request.writes.length === 0) yield [proto.WriteResponse.encode({ streamToken: tokenOf(stream.given) })];
        else yield [await answered(database, stream, request)];
      }
    },
  };
};

function opened(streams: Map<string, WriteStream>, request: WriteRequest, database: string): WriteStream {
  if (request.writes.length > 0) throw invalid('The first request of a stream must not contain writes.');
  if (request.streamId === '') {
    if (request.streamToken.length > 0) throw invalid('A stream token needs the id of its stream.');
    const stream = { id: randomUUID(), database, given: 0, acknowledged: 0, answers: new Map() };
    streams.set(stream.id, stream);
    const oldest = streams.keys().next().value;
    if (streams.size > maxStreams && oldest !== undefined) streams.delete(oldest);
    return stream;
  }
  const stream = streams.get(request.streamId);
  if (!stream || stream.database !== database) throw invalid(`There is no write stream "${request.streamId}" to resume.`);
  acknowledge(stream, request.streamToken);
  return stream;
}

async function answered(database: StoredDatabase, stream: WriteStream, request: WriteRequest): Promise<Uint8Array> {
  const writes = request.writes.map((write) => parseWrite(write, database));
  const { commitTime, results } = await commitWrites(database, writes);
  stream.given += 1;
  const writeResults = results.map(({ updateTime, transformResults }) => ({
    updateTime: updateTime === undefined ? undefined : timestampOf(updateTime),
    transformResults,
  }));
  const answer = proto.WriteResponse.encode({
    streamToken: tokenOf(stream.given),
    writeResults,
    commitTime: timestampOf(commitTime),
  });
  stream.answers.set(stream.given, answer);
  return answer;
}

/** A token older than the last acknowledged one is invalid. */
function acknowledge(stream: WriteStream, token: Uint8Array): void {
  if (token.length === 0) throw invalid('Stream token is required.');
  const number = /^w(\d{1,15})$/.exec(Buffer.from(token).toString('latin1'))?.[1];
  if (number === undefined || Number(number) > stream.given || Number(number) < stream.acknowledged)
    throw invalid('Invalid stream token.');
  stream.acknowledged = Number(number);
  for (const old of stream.answers.keys()) if (old <= stream.acknowledged) stream.answers.delete(old);
}

const tokenOf = (number: number): Uint8Array => Buffer.from(`w${number}`);

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
