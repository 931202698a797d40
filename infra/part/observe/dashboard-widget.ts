/** What a section of the dashboard is made of. */
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
import { type MetricName, metricNamespace, metrics } from '../../../shared/contract/runtime/metric-names.ts';
import { alarmPeriod, alarmPrefix } from './alarm.ts';
import { type Section, shortName } from './dashboard-section.ts';
import { metricTitles } from './metric-title.ts';

/** The grid is 24 wide. */
const full = 24;
const third = 8;
const quarter = 6;
/** What fits into one line of an alarm widget of full width. */
const alarmsPerLine = 6;

export const heading = ({ title, name }: Section): IWidget => {
  const hint = name === 'health' ? '\n\nEvery alarm has a section of its name in `infra/runbook.md`.' : '';
  return new TextWidget({ markdown: `## ${title}${hint}`, width: full, height: 2, background: TextWidgetBackground.TRANSPARENT });
};

/** By name: what another stack imports cannot be renamed or removed there. */
export const alarmStates = (scope: Construct, alarms: readonly Alarm[]): IWidget =>
  new AlarmStatusWidget({
    title: 'Alarms',
    alarms: alarms.map((alarm) => {
      const name = shortName(alarm);
      return Alarm.fromAlarmName(scope, `Shown-${name}`, `${alarmPrefix}${name}`);
    }),
    width: full,
    height: 1 + 2 * Math.ceil(alarms.length / alarmsPerLine),
  });

/** Of the metrics that alarms watch; whatever is not here goes by CloudWatch's own name. */
const titles: Readonly<Record<string, string>> = {
  ApproximateNumberOfMessagesVisible: 'Dead letters',
  ApproximateAgeOfOldestMessage: 'Oldest message, in seconds',
  Errors: 'Runs that failed',
  Invocations: 'Runs by the clock',
  IteratorAge: 'Oldest record of the stream, in milliseconds',
  ExecutionsFailed: 'Workflows that failed',
  ExecutionsTimedOut: 'Workflows that timed out',
};

/** What the alarms watch, a graph for each kind of it. */
export const alarmGraphs = (alarms: readonly Alarm[]): IWidget[] =>
  [...Map.groupBy(alarms, ({ metric }) => (metric as Metric).metricName)].map(
    ([metricName, its]) =>
      new GraphWidget({
        title: titles[metricName] ?? metricName,
        left: its.map((alarm) => (alarm.metric as Metric).with({ label: shortName(alarm) })),
        leftAnnotations: thresholdsOf(its).map((value) => ({ value, label: 'rings beyond' })),
        legendPosition: LegendPosition.RIGHT,
        leftYAxis: { min: 0, showUnits: false },
        width: third,
      }),
  );

const thresholdsOf = (alarms: readonly Alarm[]): readonly number[] => [
  ...new Set(alarms.map(({ node }) => (node.defaultChild as CfnAlarm).threshold ?? 0)),
];

/** Of a duration most and nearly all; of everything else how much it was. */
const statisticsOf = (name: MetricName): readonly string[] =>
  ['Seconds', 'Milliseconds'].includes(metrics[name]) ? ['p50', 'p99'] : ['Sum'];

/** A graph for each metric of our own, with what it says for a title. */
export const metricGraphs = (section: Section['name']): IWidget[] =>
  (Object.keys(metrics) as MetricName[])
    .filter((name) => metricTitles[name].section === section)
    .map(
      (name) =>
        new GraphWidget({
          title: metricTitles[name].says,
          left: statisticsOf(name).map(
            (statistic) =>
              new Metric({
                namespace: metricNamespace,
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

/** What the gateway counts of all calls. */
export const trafficGraphs = (apiId: string): IWidget[] => {
  const of = (metricName: string, statistic: string, label: string): Metric =>
    new Metric({
      ...{ namespace: 'AWS/ApiGateway', metricName, statistic, label, period: alarmPeriod },
      dimensionsMap: { ApiId: apiId },
    });
  const graph = (title: string, left: Metric[]): IWidget =>
    new GraphWidget({ title, left, leftYAxis: { min: 0, showUnits: false }, width: third });
  return [
    graph('Calls', [of('Count', 'Sum', 'all')]),
    graph('Calls refused or failed', [of('4xx', 'Sum', '4xx'), of('5xx', 'Sum', '5xx')]),
    graph('Time to answer, in milliseconds', [of('Latency', 'p50', 'p50'), of('Latency', 'p99', 'p99')]),
  ];
};
