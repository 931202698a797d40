/** Metrics as log lines in CloudWatch's embedded metric format. */
import { type MetricName, metricNamespace, metrics } from '../../contract/runtime/metric-names.ts';
import { clock } from '../clock.ts';
import { log } from './log.ts';

type MetricValues = Readonly<Partial<Record<MetricName, number>>>;

/**
 * Emitted after the commit, by the run that committed. A run that crashes in between emits nothing, so a metric may be too low but
 * never too high. No decision depends on metrics.
 */
export const emitMetric = (message: string, values: MetricValues): void =>
  log.info(message, { ...values, _aws: embeddedFormat(values) });

const embeddedFormat = (values: MetricValues) => ({
  Timestamp: clock.now().getTime(),
  CloudWatchMetrics: [
    {
      Namespace: process.env.METRIC_NAMESPACE ?? metricNamespace,
      Dimensions: [[]],
      Metrics: (Object.keys(values) as MetricName[]).map((Name) => ({ Name, Unit: metrics[Name] })),
    },
  ],
});
