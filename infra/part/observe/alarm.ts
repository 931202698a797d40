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
  /** It rings when the metric is above this, or else below that. */
  readonly above?: number;
  readonly below?: number;
  /** It rings after this many periods in a row. */
  readonly periods?: number;
  readonly topic: ITopic;
}

/** Short enough to hear of trouble before the customers do, long enough for one retry to heal it. */
export const alarmPeriod = Duration.minutes(5);

/** Every alarm's name begins with it. */
export const alarmPrefix = 'backup-service-';

/** Above a bound, silence is no trouble: nothing was asked for. Below one, silence is the trouble. */
export const addAlarm = (scope: Construct, props: AlarmProps): Alarm => {
  const id = `Alarm${props.name.replace(/(^|-)(.)/g, (_, __, letter: string) => letter.toUpperCase())}`;
  const alarm = new Alarm(scope, id, {
    alarmName: `${alarmPrefix}${props.name}`,
    alarmDescription: `${props.says}. See infra/runbook.md, section ${alarmPrefix}${props.name}.`,
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
