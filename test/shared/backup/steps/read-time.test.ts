import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { hasPointInTimeRecovery, mayOutliveSnapshot, msToNextMinute } from '../../../../shared/backup/steps/read-time.ts';
import { sourceOf, startServer } from '../../../harness/firestore/firestore-server.ts';
import { type Answer, head, raw, startScripted } from '../../../harness/firestore/scripted-server.ts';

const at = (time: string): string => `2026-03-01T${time}Z`;

test('read-time: a backup of about an hour or more may outlive its snapshot', () => {
  equal(mayOutliveSnapshot({ startedAt: at('10:00:00'), deadline: at('10:55:00') }), false);
  equal(mayOutliveSnapshot({ startedAt: at('10:00:00'), deadline: at('10:56:00') }), true);
});

test('read-time: a source without point-in-time recovery is detected', async () => {
  const server = await startServer();
  const source = sourceOf(server.url);
  equal(await hasPointInTimeRecovery(source, new Date()), false);
  source.close();
  await server.stop();
});

test('read-time: a source that reads more than an hour back has point-in-time recovery', async () => {
  const refusing: Answer = (stream) =>
    stream.respond(
      { ...head, 'grpc-status': '9', 'grpc-message': 'The requested snapshot version is too old.' },
      { endStream: true },
    );
  const server = await startScripted(raw(new Uint8Array(5)), refusing);
  const source = sourceOf(server.url);
  equal(await hasPointInTimeRecovery(source, new Date()), true);
  equal(await hasPointInTimeRecovery(source, new Date()), false);
  source.close();
  await server.close();
});

test('read-time: the next minute is waited for, plus one second', () => {
  equal(msToNextMinute(new Date(at('10:00:00.000'))), 61_000);
  equal(msToNextMinute(new Date(at('10:00:59.999'))), 1_001);
});
