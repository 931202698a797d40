/** The dashboard: all alarms, the metrics they watch, and the service's own metrics. */
import { Aws } from 'aws-cdk-lib';
import { Dashboard, type IWidget, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { alarmPrefix } from '../deployment-name.ts';
import { alarmsBelow, sectionOf, sections } from './dashboard-section.ts';
import { alarmGraphs, alarmStates, headingWidget, metricGraphs, trafficGraphs } from './dashboard-widget.ts';

/** Dashboards are global to the account, so the name includes the region. */
const dashboardName = (scope: Construct): string => `${alarmPrefix(scope)}${Aws.REGION}`;

export const dashboardUrl = (scope: Construct): string =>
  `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${dashboardName(scope)}`;

interface DashboardProps {
  readonly apiId: string;
  /** The scope of all stacks of the deployment. The app around it may have alarms of its own. */
  readonly alarmsIn: Construct;
}

/** Create it last: it shows the alarms that exist by then. It refers to alarms of other stacks by name and imports nothing. */
export const makeDashboard = (scope: Construct, { apiId, alarmsIn }: DashboardProps): void => {
  const alarms = alarmsBelow(alarmsIn);
  const rows = sections.flatMap((section): IWidget[][] => {
    const its = alarms.filter((alarm) => sectionOf(alarm) === section.name);
    return [
      [headingWidget(section)],
      ...(its.length > 0 ? [[alarmStates(scope, its)]] : []),
      ...(section.name === 'api' ? [trafficGraphs(apiId)] : []),
      metricGraphs(scope, section.name),
      alarmGraphs(its),
    ];
  });
  new Dashboard(scope, 'Dashboard', {
    dashboardName: dashboardName(scope),
    start: '-P1D',
    periodOverride: PeriodOverride.INHERIT,
    widgets: rows.filter((row) => row.length > 0),
  });
};
