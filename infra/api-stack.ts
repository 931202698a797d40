/** The API: the stage, its domain and alarms, and the routes that are not in the stack of further routes. */
import { CfnOutput, Duration } from 'aws-cdk-lib';
import { CfnApiMapping, CfnDomainName, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { workers } from '../shared/contract/runtime/workers.ts';
import { addDeployOutputs } from './deploy-outputs.ts';
import { isFurtherRoute } from './further-routes-stack.ts';
import { addAlarm, alarmPeriod } from './part/observe/alarm.ts';
import { makeVendedLogGroup } from './part/observe/log-group.ts';
import { logLineMetric } from './part/observe/log-metric-filter.ts';
import { RouteStack, type RouteStackProps } from './route-stack.ts';

/** For the whole deployment. The limit per caller is requestsPerMinute. */
const throttle = { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 };

/** Requests without a matching route go to the fallback. */
export class ApiStack extends RouteStack {
  /** Undefined without a custom domain. */
  readonly domain: CfnDomainName | undefined;
  readonly nextSteps: readonly string[];
  readonly #props: RouteStackProps;

  constructor(scope: Construct, id: string, props: RouteStackProps) {
    super(scope, id, {
      ...props,
      hasFile: (file) => !isFurtherRoute(file),
      countedLines: ['keyRefused', 'secretsKeyRefused', 'providerFailed'],
    });
    this.#props = props;
    this.#makeFallback();
    const stage = this.#makeStage();
    const { config, data } = props;
    const { domainName, certificateArn } = config;
    this.domain = domainName && certificateArn ? this.#makeDomain(stage, domainName, certificateArn) : undefined;
    this.#makeAlarms();
    this.nextSteps = addDeployOutputs(this, { config, data, domainTarget: this.domain?.attrRegionalDomainName });
  }

  #makeFallback(): void {
    const { entry, summary, timeoutSeconds, capabilities } = workers.fallback;
    const fn = this.makeFunction('Fallback', {
      entry,
      exportName: 'handler',
      description: summary,
      timeoutSeconds,
      capabilities,
    });
    this.makeRoute('Fallback', { '': '$default' }, { fn, role: this.makeGatewayRole('Fallback', [fn]) });
  }

  #makeStage(): CfnStage {
    const accessLog = makeVendedLogGroup(this, 'AccessLogs');
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.#props.data.apiId,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { ...throttle, detailedMetricsEnabled: this.#props.config.detailedMetrics },
      accessLogSettings: { destinationArn: accessLog.logGroupArn, format: JSON.stringify(accessLogLine) },
    });
    // A stage that deploys by itself does so for every route that is created after it.
    this.addAfterRoutes(stage);
    return stage;
  }

  #makeDomain(stage: CfnStage, domainName: string, certificateArn: string): CfnDomainName {
    const domain = new CfnDomainName(this, 'Domain', {
      domainName,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    const mapping = new CfnApiMapping(this, 'DomainMapping', {
      apiId: this.#props.data.apiId,
      domainName: domain.ref,
      stage: stage.ref,
    });
    mapping.addResourceDependency(stage);
    new CfnOutput(this, 'DomainTarget', {
      value: domain.attrRegionalDomainName,
      description: `Target for the DNS record of ${domainName} (CNAME or alias)`,
    });
    new CfnOutput(this, 'DomainTargetZone', {
      value: domain.attrRegionalHostedZoneId,
      description: 'Hosted zone id for an alias record',
    });
    return domain;
  }

  #makeAlarms(): void {
    const { config, data } = this.#props;
    const { alarms: topic, apiId } = data;
    addAlarm(this, {
      name: 'api-5xx',
      description: 'The API returns server errors',
      metric: new Metric({
        namespace: 'AWS/ApiGateway',
        metricName: '5xx',
        dimensionsMap: { ApiId: apiId },
        statistic: 'Sum',
        period: alarmPeriod,
      }),
      above: 5,
      topic,
    });
    addAlarm(this, {
      name: 'sign-in-failures',
      description: 'Requests to the identity provider fail, so users cannot sign in',
      // Users retry: three failures within 15 minutes can come from one user, but not from one lost packet.
      metric: logLineMetric(this, 'providerFailed', Duration.minutes(15)),
      above: 2,
      topic,
    });
    addAlarm(this, {
      name: 'function-throttles',
      description: 'Functions use more than 90 % of the concurrency of the account; at 100 % Lambda throttles',
      // No dimension: concurrency is counted per account. Throttles would also count workflow steps that wait for capacity.
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ClaimedAccountConcurrency',
        statistic: 'Maximum',
        period: alarmPeriod,
      }),
      above: Math.floor(0.9 * config.accountConcurrency),
      periods: 2,
      topic,
    });
  }
}

/** No query string, headers or body: each of them can contain a code or a token. */
const accessLogLine = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  functionRequestId: '$context.integration.requestId',
  functionStatus: '$context.integration.status',
  functionLatencyMs: '$context.integration.latency',
  error: '$context.error.responseType',
  functionError: '$context.integrationErrorMessage',
};
