/**
 * Annotations of traces, in a datagram to the daemon that Lambda runs beside a function: `annotation.organizationId = "org_…"` finds
 * all that was done for one. The SDK for this is larger than most of our functions.
 */
import { createSocket, type Socket } from 'node:dgram';

let opened: Socket | undefined;
const socket = (): Socket => {
  // Nobody waits for it, and a daemon that is not there is nobody's trouble.
  opened ??= createSocket('udp4')
    .on('error', () => undefined)
    .unref();
  return opened;
};

/** Lambda sets both for a run that is traced; of one that is not sampled there is nothing to annotate. */
const traced = (): { host: string; port: number; traceId: string; parentId: string } | undefined => {
  const [host, port] = (process.env.AWS_XRAY_DAEMON_ADDRESS ?? '').split(':');
  const { Root, Parent, Sampled } = Object.fromEntries(
    (process.env._X_AMZN_TRACE_ID ?? '').split(';').map((part) => part.split('=', 2)),
  ) as Partial<Record<string, string>>;
  if (!host || !port || !Root || !Parent || Sampled !== '1') return undefined;
  return { host, port: Number(port), traceId: Root, parentId: Parent };
};

/** Names a part of the trace by the ids it was about. Never fails, and is not waited for. */
export const annotateTrace = (ids: Readonly<Record<string, string>>, beganMs: number, endedMs: number): void => {
  const trace = traced();
  if (!trace) return;
  const part = {
    name: ids.operation ?? 'work',
    id: partId(),
    trace_id: trace.traceId,
    parent_id: trace.parentId,
    type: 'subsegment',
    start_time: beganMs / 1_000,
    end_time: endedMs / 1_000,
    annotations: ids,
  };
  socket().send(`{"format":"json","version":1}\n${JSON.stringify(part)}`, trace.port, trace.host);
};

/** 64 bits that no other part of the trace has. */
const partId = (): string => crypto.getRandomValues(Buffer.alloc(8)).toString('hex');
