/** The one way a number becomes a metric: a line of the log in CloudWatch's embedded format, with the ids of what it is about. */
import { type MetricName, metricNamespace, metrics } from '../../contract/runtime/metric-names.ts';
import { clock } from '../clock.ts';
import { log } from './log.ts';

export type Measured = Readonly<Partial<Record<MetricName, number>>>;

/**
 * Said behind the commit that made it true, and only by the run whose commit it was: a run that dies in between says too little,
 * none says too much. Decisions are never made from these numbers; records are what counts.
 */
export const emitMetric = (message: string, measured: Measured): void =>
  log.info(message, { ...measured, _aws: formOf(measured) });

const formOf = (measured: Measured) => ({
  Timestamp: clock.now().getTime(),
  CloudWatchMetrics: [
    {
      Namespace: metricNamespace,
      Dimensions: [[]],
      Metrics: (Object.keys(measured) as MetricName[]).map((Name) => ({ Name, Unit: metrics[Name] })),
    },
  ],
});
