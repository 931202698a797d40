/**
 * Adds an OpenTelemetry span with the ids of the work to the trace of a run: the filter `annotation.organizationId = "org_…"` finds all
 * traces of an organization. Spans go as UDP datagrams to Lambda's own receiver, in the form of the X-Ray exporter of AWS's
 * OpenTelemetry distribution: no layer, no agent, and nothing waits for them.
 */
import { createSocket, type Socket } from 'node:dgram';
import { warm } from '../warm.ts';
import { encodeOtlpSpan } from './otlp-span.ts';

/** Best effort: a missing receiver is not an error. */
const socket = warm(
  (): Socket =>
    createSocket('udp4')
      .on('error', () => undefined)
      .unref(),
);

/** Lambda sets both variables for a traced run. A run that is not sampled has no trace. */
const currentTrace = (): { host: string; port: number; traceId: string; parentSpanId: string } | undefined => {
  const [host, port] = (process.env.AWS_XRAY_DAEMON_ADDRESS ?? '').split(':');
  const { Root, Parent, Sampled } = Object.fromEntries(
    (process.env._X_AMZN_TRACE_ID ?? '').split(';').map((part) => part.split('=', 2)),
  ) as Partial<Record<string, string>>;
  // Root is `1-<8 digits of time>-<24 digits>`; OpenTelemetry joins them.
  const [, time, random] = /^1-([0-9a-f]{8})-([0-9a-f]{24})$/.exec(Root ?? '') ?? [];
  if (!host || !port || !time || !Parent || Sampled !== '1') return undefined;
  return { host, port: Number(port), traceId: `${time}${random}`, parentSpanId: Parent };
};

/** T1S: an OTLP span of a sampled trace, as base64. */
const header = '{"format":"json","version":1}\nT1S';

/** Never fails, and does not wait. */
export const annotateTrace = (ids: Readonly<Record<string, string>>, startedMs: number, endedMs: number): void => {
  const trace = currentTrace();
  if (!trace) return;
  const span = encodeOtlpSpan({
    traceId: trace.traceId,
    spanId: crypto.getRandomValues(Buffer.alloc(8)).toString('hex'),
    parentSpanId: trace.parentSpanId,
    name: ids.operation ?? 'work',
    startedMs,
    endedMs,
    // X-Ray indexes only the attributes in this list; the others would be metadata, which cannot be searched.
    attributes: { ...ids, 'aws.xray.annotations': Object.keys(ids) },
    resource: {
      'service.name': process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'unknown',
      'cloud.provider': 'aws',
      'cloud.platform': 'aws_lambda',
    },
  });
  socket().send(`${header}${span.toString('base64')}`, trace.port, trace.host);
};
