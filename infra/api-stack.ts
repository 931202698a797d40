/** The API: one route and one function per contract endpoint. Requests without a matching route go to the fallback. */
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnApiMapping, CfnDomainName, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../shared/contract/endpoint.ts';
import { capabilitiesOf, endpoints, handlerOf } from '../shared/contract/index.ts';
import { workers } from '../shared/contract/runtime/workers.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import type { EngineStack } from './engine-stack.ts';
import { allow, makeRole } from './part/allow.ts';
import { addDeployOutputs } from './part/deploy-outputs.ts';
import { type CodeOf, type FnProps, makeFunction } from './part/function/lambda-function.ts';
import { pascalCase } from './part/name-case.ts';
import { addAlarm, alarmPeriod } from './part/observe/alarm.ts';
import { makeLogGroup, makeVendedLogGroup } from './part/observe/log-group.ts';
import { addLogMetricFilter, logLineMetric } from './part/observe/log-metric-filter.ts';

interface ApiStackProps extends StackProps {
  readonly config: Config;
  readonly data: DataStack;
  readonly engine: EngineStack;
  readonly code: CodeOf;
}

/** Less than API Gateway's 30 s, so that the service answers, not the gateway. */
const endpointTimeoutSeconds = 20;
/** Lambda assigns CPU by memory: twice the CPU of 512 MB speeds up cold starts with the SDK. Not measured on Lambda. */
const endpointMemoryMegabytes = 1_024;
/** For the whole deployment. The limit per caller is requestsPerMinute. */
const throttle = { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 };

export class ApiStack extends Stack {
  readonly #props: ApiStackProps;
  readonly #logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#logGroup = makeLogGroup(this, 'Logs');
    for (const line of ['keyRefused', 'secretsKeyRefused', 'providerFailed'] as const) addLogMetricFilter(this.#logGroup, line);
    const groups = Map.groupBy(endpoints, (endpoint) => handlerOf(endpoint).file);
    for (const [file, rows] of groups) this.#makeGroup(file, rows);
    this.#makeFallback();
    const stage = this.#makeStage();
    const { config, data } = props;
    const { domainName, certificateArn } = config;
    const domain = domainName && certificateArn ? this.#makeDomain(stage, domainName, certificateArn) : undefined;
    this.#makeAlarms();
    addDeployOutputs(this, { config, data, domainTarget: domain?.attrRegionalDomainName });
  }

  /** The endpoints of one handler file: one function each, and one role with which the gateway invokes exactly these. */
  #makeGroup(file: string, rows: readonly Endpoint[]): void {
    const handlers = rows.map((endpoint) => ({ endpoint, fn: this.#makeEndpoint(endpoint) }));
    const role = this.#makeGatewayRole(
      pascalCase(file),
      handlers.map(({ fn }) => fn),
    );
    for (const { endpoint, fn } of handlers)
      this.#makeRoute(pascalCase(endpoint.id), `${endpoint.method} ${endpoint.path}`, fn, role);
  }

  #makeEndpoint(endpoint: Endpoint): Fn {
    const { file, name } = handlerOf(endpoint);
    return this.#makeFunction(pascalCase(endpoint.id), {
      entry: `functions/api/${file}.ts`,
      exportName: name,
      description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      timeoutSeconds: endpointTimeoutSeconds,
      memoryMegabytes: endpointMemoryMegabytes,
      capabilities: capabilitiesOf(endpoint),
    });
  }

  #makeFunction(id: string, props: Omit<FnProps, 'parts' | 'code' | 'logGroup'>): Fn {
    const { engine, code } = this.#props;
    return makeFunction(this, id, { ...props, parts: engine.parts, code, logGroup: this.#logGroup });
  }

  #makeFallback(): void {
    const { entry, summary, timeoutSeconds, capabilities } = workers.fallback;
    const fn = this.#makeFunction('Fallback', {
      entry,
      exportName: 'handler',
      description: summary,
      timeoutSeconds,
      capabilities,
    });
    this.#makeRoute('Fallback', '$default', fn, this.#makeGatewayRole('Fallback', [fn]));
  }

  /** One role per file instead of one permission per function saves a fifth of the 500 resources a stack may have. */
  #makeGatewayRole(id: string, functions: readonly Fn[]): Role {
    const arns = functions.map((fn) => fn.functionArn);
    return makeRole(this, `${id}GatewayRole`, {
      description: `Lets API Gateway invoke the functions of ${id}`,
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      statements: [allow(['lambda:InvokeFunction'], arns)],
    });
  }

  #makeRoute(id: string, routeKey: string, fn: Fn, role: Role): void {
    const { apiId } = this.#props.data;
    const integration = new CfnIntegration(this, `${id}Integration`, {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: fn.functionArn,
      payloadFormatVersion: '2.0',
      credentialsArn: role.roleArn,
    });
    new CfnRoute(this, `${id}Route`, { apiId, routeKey, target: `integrations/${integration.ref}` });
  }

  #makeStage(): CfnStage {
    const accessLog = makeVendedLogGroup(this, 'AccessLogs');
    return new CfnStage(this, 'Stage', {
      apiId: this.#props.data.apiId,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { ...throttle, detailedMetricsEnabled: true },
      accessLogSettings: { destinationArn: accessLog.logGroupArn, format: JSON.stringify(accessLogLine) },
    });
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
      metric: logLineMetric('providerFailed', Duration.minutes(15)),
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
