/**
 * X-Ray annotations, sent as UDP datagrams to Lambda's X-Ray daemon: the filter `annotation.organizationId = "org_…"` finds all traces
 * of an organization. The SDK for this is larger than most of our functions.
 */
import { createSocket, type Socket } from 'node:dgram';

let opened: Socket | undefined;
const socket = (): Socket => {
  // Best effort: a missing daemon is not an error.
  opened ??= createSocket('udp4')
    .on('error', () => undefined)
    .unref();
  return opened;
};

/** Lambda sets both variables for a traced run. A run that is not sampled has no trace. */
const currentTrace = (): { host: string; port: number; traceId: string; parentId: string } | undefined => {
  const [host, port] = (process.env.AWS_XRAY_DAEMON_ADDRESS ?? '').split(':');
  const { Root, Parent, Sampled } = Object.fromEntries(
    (process.env._X_AMZN_TRACE_ID ?? '').split(';').map((part) => part.split('=', 2)),
  ) as Partial<Record<string, string>>;
  if (!host || !port || !Root || !Parent || Sampled !== '1') return undefined;
  return { host, port: Number(port), traceId: Root, parentId: Parent };
};

/** Adds a subsegment with these annotations to the trace. Never fails, and does not wait. */
export const annotateTrace = (ids: Readonly<Record<string, string>>, startedMs: number, endedMs: number): void => {
  const trace = currentTrace();
  if (!trace) return;
  const subsegment = {
    name: ids.operation ?? 'work',
    id: subsegmentId(),
    trace_id: trace.traceId,
    parent_id: trace.parentId,
    type: 'subsegment',
    start_time: startedMs / 1_000,
    end_time: endedMs / 1_000,
    annotations: ids,
  };
  socket().send(`{"format":"json","version":1}\n${JSON.stringify(subsegment)}`, trace.port, trace.host);
};

/** 64 random bits. */
const subsegmentId = (): string => crypto.getRandomValues(Buffer.alloc(8)).toString('hex');
