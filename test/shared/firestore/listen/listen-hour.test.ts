/** One hour of Listen in virtual time against an independent server. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { status } from '@grpc/grpc-js';
import { test } from 'vitest';
import { sourceOf } from '../../../harness/firestore/firestore-server.ts';
import { GrpcJsFirestore } from '../../../harness/firestore/grpc-js-firestore.ts';
import { ListenLog } from '../../../harness/firestore/listen-log.ts';
import { until, VirtualTimers } from '../../../harness/time/virtual-timers.ts';

const stepMs = 10_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
/** A timeout that no other timer uses, which identifies pings. */
const keepalive = { intervalMs: 30_000, timeoutMs: 19_999 };
/** Access tokens last an hour and are used for 55 minutes. */
const tokenMs = 55 * minuteMs;

/** Every fifth minute is quiet, so that only pings and time requests keep the stream alive. */
const isQuiet = (atMs: number): boolean => Math.floor(atMs / minuteMs) % 5 === 4;

test('Listen: an hour of connection ages, pings and new tokens delivers every change once and leaks nothing', async () => {
  const timers = new VirtualTimers();
  const server = await GrpcJsFirestore.start();
  const startMs = timers.now();
  const elapsedMs = () => timers.now() - startMs;
  const tokens: { readonly text: string; readonly untilMs: number }[] = [];
  const revoked = new Set<string>();
  server.hooks.refuse = (_method, { metadata }) => {
    const token = tokens.find(({ text }) => metadata.get('authorization')[0] === `Bearer ${text}`);
    const isValid = token && token.untilMs > elapsedMs() && !revoked.has(token.text);
    return isValid ? undefined : { code: status.UNAUTHENTICATED, details: 'Request had invalid authentication credentials.' };
  };
  const source = sourceOf(server.url, {
    timers,
    keepalive,
    sleep: () => new Promise((done) => setImmediate(done)),
    token: async ({ refresh }) => {
      const kept = tokens.at(-1);
      if (kept && !refresh && kept.untilMs > elapsedMs()) return kept.text;
      const made = { text: `token-${tokens.length}`, untilMs: elapsedMs() + tokenMs };
      tokens.push(made);
      return made.text;
    },
  });
  const leaving = new AbortController();
  const log = new ListenLog(source, { group: 'b', readTime: server.readTime, signal: leaving.signal });
  const following = log.follow().catch((error: unknown) => error);
  const written: string[] = [];
  const isSettled = () =>
    log.heard.length === written.length &&
    server.listeners === 1 &&
    ![...timers.pending].some(({ delayMs }) => delayMs === keepalive.timeoutMs);
  let drains = 0;
  let sizeMax = 0;
  let timersMax = 0;
  try {
    for (let step = 0; elapsedMs() < hourMs; step++) {
      if (!isQuiet(elapsedMs())) {
        const path = `a/1/b/${step}`;
        server.write([[path, { n: { integerValue: step } }]]);
        written.push(path);
        if (step % 3 === 2) {
          server.write([[`a/1/b/${step - 1}`, undefined]]);
          written.push(`a/1/b/${step - 1} gone`);
        }
      }
      await until(isSettled, `step ${step}: ${log.heard.length} of ${written.length} changes`);
      sizeMax = Math.max(sizeMax, source.connections.size);
      timersMax = Math.max(timersMax, timers.pending.size);
      timers.advance(stepMs);
      // Like a capture on a quiet stream, except for one minute that would otherwise time out.
      if (step % 6 === 5) log.ask();
      // A connection reaches its maximum age every four minutes and is cut during the following changes.
      if (step % 24 === 23) {
        drains += 1;
        server.drain(1);
      }
      if (step === 100) for (const { text } of tokens) revoked.add(text);
    }
    await until(isSettled, 'the last change');
    deepEqual(log.heard.toSorted(), written.toSorted());
    ok(log.failures.length >= 14 && drains >= 14, `${log.failures.length} streams cut by ${drains} drains`);
    ok((timers.counts.get(keepalive.timeoutMs) ?? 0) > 0, 'no ping was sent');
    // The first, one for the revoked token, and one 55 minutes later.
    ok(tokens.length >= 2 && tokens.length <= 3, `${tokens.length} tokens`);
    ok(sizeMax <= 2, `${sizeMax} connections at once`);
    // A silence timer of the stream, a keepalive of each connection and a connect timer.
    ok(timersMax <= 4, `${timersMax} timers at once`);
    equal(getEventListeners(leaving.signal, 'abort').length, 1);
    await until(() => source.connections.size === 1, 'old connections close');
  } finally {
    leaving.abort();
    await following;
    source.close();
    server.stop();
  }
  await until(() => source.connections.size === 0, 'all connections are closed');
  equal(timers.pending.size, 0);
});
