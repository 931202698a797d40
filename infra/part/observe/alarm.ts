/** An alarm; its name is a section of runbook.md. */
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { alarmPrefix, usualAlarmPrefix } from '../deployment-name.ts';
import { pascalCase } from '../name-case.ts';

export interface AlarmProps {
  readonly name: string;
  readonly description: string;
  readonly metric: IMetric;
  /** Fires when the metric is above `above`, or below `below`. */
  readonly above?: number;
  readonly below?: number;
  /** Fires after this many consecutive periods. */
  readonly periods?: number;
  readonly topic: ITopic;
}

/** Short enough to notice trouble before customers do, long enough for one retry to succeed. */
export const alarmPeriod = Duration.minutes(5);

/** Missing data is fine for an upper bound (nothing happened) and breaching for a lower bound. */
export const addAlarm = (scope: Construct, props: AlarmProps): Alarm => {
  const alarm = new Alarm(scope, `Alarm${pascalCase(props.name)}`, {
    alarmName: `${alarmPrefix(scope)}${props.name}`,
    alarmDescription: `${props.description}. See infra/runbook.md, section ${usualAlarmPrefix}${props.name}.`,
    metric: props.metric,
    evaluationPeriods: props.periods ?? 1,
    ...(props.below === undefined
      ? {
          threshold: props.above ?? 0,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }
      : {
          threshold: props.below,
          comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
          treatMissingData: TreatMissingData.BREACHING,
        }),
  });
  alarm.addAlarmAction(new SnsAction(props.topic));
  return alarm;
};
