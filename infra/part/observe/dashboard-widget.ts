/** The widgets of a dashboard section. */
import {
  Alarm,
  AlarmStatusWidget,
  type CfnAlarm,
  GraphWidget,
  type IWidget,
  LegendPosition,
  Metric,
  TextWidget,
  TextWidgetBackground,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, metrics } from '../../../shared/contract/runtime/metric-names.ts';
import { alarmPrefix, deploymentNamespace } from '../deployment-name.ts';
import { groupBy } from '../group-by.ts';
import { alarmPeriod } from './alarm.ts';
import { type Section, shortName } from './dashboard-section.ts';
import { metricTitles } from './metric-title.ts';

const full = 24;
const third = 8;
const quarter = 6;
/** Alarms per line of a full-width alarm widget. */
const alarmsPerLine = 6;

export const headingWidget = ({ title, name }: Section): IWidget => {
  const hint = name === 'health' ? '\n\nEvery alarm has a section of the same name in `infra/runbook.md`.' : '';
  return new TextWidget({ markdown: `## ${title}${hint}`, width: full, height: 2, background: TextWidgetBackground.TRANSPARENT });
};

/** Alarms are referenced by name: an export used by another stack could not be renamed or removed. */
export const alarmStates = (scope: Construct, alarms: readonly Alarm[]): IWidget =>
  new AlarmStatusWidget({
    title: 'Alarms',
    alarms: alarms.map((alarm) => {
      const name = shortName(alarm);
      return Alarm.fromAlarmName(scope, `Shown-${name}`, `${alarmPrefix(scope)}${name}`);
    }),
    width: full,
    height: 1 + 2 * Math.ceil(alarms.length / alarmsPerLine),
  });

/** Titles of the metrics that alarms watch; others keep CloudWatch's names. */
const titles: Readonly<Record<string, string>> = {
  ApproximateNumberOfMessagesVisible: 'Dead letters',
  ApproximateAgeOfOldestMessage: 'Age of the oldest message, in seconds',
  Errors: 'Failed runs',
  Invocations: 'Periodic runs',
  IteratorAge: 'Age of the oldest stream record, in milliseconds',
  ExecutionsFailed: 'Failed workflows',
  ExecutionsTimedOut: 'Timed-out workflows',
};

/** One graph for each metric that alarms watch. */
export const alarmGraphs = (alarms: readonly Alarm[]): IWidget[] =>
  [...groupBy(alarms, ({ metric }) => (metric as Metric).metricName)].map(
    ([metricName, its]) =>
      new GraphWidget({
        title: titles[metricName] ?? metricName,
        left: its.map((alarm) => (alarm.metric as Metric).with({ label: shortName(alarm) })),
        leftAnnotations: thresholdsOf(its).map((value) => ({ value, label: 'alarm threshold' })),
        legendPosition: LegendPosition.RIGHT,
        leftYAxis: { min: 0, showUnits: false },
        width: third,
      }),
  );

const thresholdsOf = (alarms: readonly Alarm[]): readonly number[] => [
  ...new Set(alarms.map(({ node }) => (node.defaultChild as CfnAlarm).threshold ?? 0)),
];

/** Durations show percentiles; other metrics show sums. */
const statisticsOf = (name: MetricName): readonly string[] =>
  ['Seconds', 'Milliseconds'].includes(metrics[name]) ? ['p50', 'p99'] : ['Sum'];

export const metricGraphs = (scope: Construct, section: Section['name']): IWidget[] =>
  (Object.keys(metrics) as MetricName[])
    .filter((name) => metricTitles[name].section === section)
    .map(
      (name) =>
        new GraphWidget({
          title: metricTitles[name].title,
          left: statisticsOf(name).map(
            (statistic) =>
              new Metric({
                namespace: deploymentNamespace(scope),
                metricName: name,
                statistic,
                period: alarmPeriod,
                label: statistic === 'Sum' ? name : statistic,
              }),
          ),
          leftYAxis: { min: 0, showUnits: false, label: metrics[name] },
          width: quarter,
          height: 4,
        }),
    );

export const trafficGraphs = (apiId: string): IWidget[] => {
  const shared = { namespace: 'AWS/ApiGateway', dimensionsMap: { ApiId: apiId }, period: alarmPeriod };
  const of = (metricName: string, statistic: string, label: string): Metric =>
    new Metric({ ...shared, metricName, statistic, label });
  const graph = (title: string, left: Metric[]): IWidget =>
    new GraphWidget({ title, left, leftYAxis: { min: 0, showUnits: false }, width: third });
  return [
    graph('Calls', [of('Count', 'Sum', 'all')]),
    graph('Rejected and failed requests', [of('4xx', 'Sum', '4xx'), of('5xx', 'Sum', '5xx')]),
    graph('Response time, in milliseconds', [of('Latency', 'p50', 'p50'), of('Latency', 'p99', 'p99')]),
  ];
};
