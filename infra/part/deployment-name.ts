/** Names that contain the name of the deployment, so that one account can hold several. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { metricNamespace } from '../../shared/contract/runtime/metric-names.ts';
import { usualDeploymentName } from './usual-deployment-name.ts';

/** The name of a stack without its part. */
export const deploymentName = (scope: Construct): string =>
  Stack.of(scope).stackName.replace(/-(data|engine|extension|api)$/, '');

/** The prefix of alarms and of the dashboard. */
export const alarmPrefix = (scope: Construct): string =>
  deploymentName(scope) === usualDeploymentName ? usualAlarmPrefix : `${deploymentName(scope)}-`;

/** The prefix of the runbook's sections, whatever the name of the deployment. */
export const usualAlarmPrefix = 'backup-service-';

/** Metrics have no dimensions, so deployments are told apart by their namespace. */
export const deploymentNamespace = (scope: Construct): string =>
  deploymentName(scope) === usualDeploymentName ? metricNamespace : `${metricNamespace}/${deploymentName(scope)}`;
