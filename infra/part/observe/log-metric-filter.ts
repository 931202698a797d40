/** Counts log lines in a metric, so that an alarm can watch them. */
import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logLines } from '../../../shared/contract/runtime/alarm-log-lines.ts';
import { deploymentNamespace } from '../deployment-name.ts';
import { pascalCase } from '../name-case.ts';
import { alarmPeriod } from './alarm.ts';

type Line = keyof typeof logLines;

/** All log groups count into the same metric. */
export const addLogMetricFilter = (logGroup: LogGroup, line: Line): void => {
  logGroup.addMetricFilter(pascalCase(line), {
    filterPattern: FilterPattern.stringValue('$.message', '=', logLines[line]),
    metricNamespace: deploymentNamespace(logGroup),
    metricName: pascalCase(line),
    metricValue: '1',
  });
};

export const logLineMetric = (scope: Construct, line: Line, period: Duration = alarmPeriod): Metric =>
  new Metric({ namespace: deploymentNamespace(scope), metricName: pascalCase(line), statistic: 'Sum', period });
