/** An alarm whose name is a section of runbook.md: whoever is woken knows where to read. */
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export interface AlarmProps {
  /** The alarm's name and its section in the runbook. */
  readonly name: string;
  readonly says: string;
  readonly metric: IMetric;
  /** It rings when the metric is above this. */
  readonly above: number;
  /** It rings after this many periods in a row. */
  readonly periods?: number;
  readonly topic: ITopic;
}

/** Short enough to hear of trouble before the customers do, long enough for one retry to heal it. */
export const alarmPeriod = Duration.minutes(5);

export const addAlarm = (scope: Construct, props: AlarmProps): Alarm => {
  const id = `Alarm${props.name.replace(/(^|-)(.)/g, (_, __, letter: string) => letter.toUpperCase())}`;
  const alarm = new Alarm(scope, id, {
    alarmName: `backup-service-${props.name}`,
    alarmDescription: `${props.says}. See infra/runbook.md, section backup-service-${props.name}.`,
    metric: props.metric,
    threshold: props.above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: props.periods ?? 1,
    // No traffic is no trouble.
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  alarm.addAlarmAction(new SnsAction(props.topic));
  return alarm;
};
