import { randomUUID } from 'node:crypto';
import { commitWrites, readWrite } from '../commit.ts';
import type { StoredDatabase } from '../database.ts';
import type { Databases } from '../databases.ts';
import { parseDatabaseName } from '../name.ts';
import { type Method, RpcError } from '../parts.ts';
import { decodeRequest, proto, timestampOf } from '../proto.ts';

/**
 * Write: the first request opens the stream, or resumes the one it names, and is answered with a token; each later one is a
 * commit, in order, and must bring back a token this stream has given, which acknowledges the answers up to it.
 */
export const writeStream = (databases: Databases): Method => ({
  kind: 'bidi',
  run: async function* (requests) {
    let database: StoredDatabase | undefined;
    let streamId = '';
    let given = 0;
    for await (const bytes of requests) {
      const request = decodeRequest(proto.WriteRequest, bytes);
      if (!database) {
        database = databases.open(parseDatabaseName(request.database));
        if (request.writes.length > 0)
          throw new RpcError('INVALID_ARGUMENT', 'The first request of a stream must not contain writes.');
        if (request.streamToken.length > 0 && request.streamId === '')
          throw new RpcError('INVALID_ARGUMENT', 'A stream token needs the stream it is of.');
        given = request.streamToken.length > 0 ? tokenNumber(request.streamToken) : 0;
        streamId = request.streamId === '' ? randomUUID() : request.streamId;
        yield [proto.WriteResponse.encode({ streamId, streamToken: tokenOf(given) })];
        continue;
      }
      if (request.streamToken.length === 0) throw new RpcError('INVALID_ARGUMENT', 'Stream token is required.');
      if (tokenNumber(request.streamToken) > given) throw invalidToken();
      if (request.writes.length === 0) {
        yield [proto.WriteResponse.encode({ streamToken: tokenOf(given) })];
        continue;
      }
      const target = database;
      const writes = request.writes.map((write) => readWrite(write, target));
      const { commitTime, results } = await commitWrites(database, writes);
      given += 1;
      const writeResults = results.map(({ updateTime, transformResults }) => ({
        updateTime: updateTime === undefined ? undefined : timestampOf(updateTime),
        transformResults,
      }));
      yield [proto.WriteResponse.encode({ streamToken: tokenOf(given), writeResults, commitTime: timestampOf(commitTime) })];
    }
  },
});

const tokenOf = (number: number): Uint8Array => Buffer.from(`w${number}`);

const invalidToken = (): RpcError => new RpcError('INVALID_ARGUMENT', 'Invalid stream token.');

function tokenNumber(token: Uint8Array): number {
  const match = /^w(\d{1,15})$/.exec(Buffer.from(token).toString('latin1'));
  if (!match) throw invalidToken();
  return Number(match[1]);
}
