export { assertProjects } from './assert-projects.ts';
export { type HashConfig, letsShareEmails, readHashConfig } from './auth-users/hash-config.ts';
export { openToolkit, type Toolkit } from './auth-users/identity-toolkit.ts';
export { importAuthUsers, importedAtOnceMax, type Refused } from './auth-users/import-auth-users.ts';
export { type AuthUser, listAuthUsers, readAuthUsers, userAccountOf } from './auth-users/list-auth-users.ts';
export { type KnownUser, lookUpAuthUsers } from './auth-users/look-up-auth-users.ts';
export { isRedacted } from './auth-users/password-visibility.ts';
export { probeAuthUsers } from './auth-users/probe-auth-users.ts';
export { removeAuthUsers } from './auth-users/remove-auth-users.ts';
export { chooseConnection } from './choose-connection.ts';
export { applyConfiguration } from './configuration/apply-configuration.ts';
export { compareConfigurations } from './configuration/compare-configurations.ts';
export { openConfigurationApi } from './configuration/configuration-api.ts';
export { configurationDiffData } from './configuration/configuration-diff-data.ts';
export { type ConfigurationPlan, isUnfinishedStep, planConfiguration } from './configuration/plan-configuration.ts';
export { firestoreRelease, readConfiguration } from './configuration/read-configuration.ts';
export { readIndexStates } from './configuration/read-index-states.ts';
export { backedUpWrites, connectedWrite, regainedAccessWrites, unauthorizedWrite } from './connection-status.ts';
export { createProject, removeProject } from './create-project.ts';
export { databaseData } from './database-data.ts';
export { databaseInfoPermission } from './database-info.ts';
export { databaseName, documentsRootOf } from './database-name.ts';
export { endMembership, finishDeparture } from './end-membership.ts';
export {
  assertIdle,
  databaseLock,
  databaseOf,
  databaseRelease,
  jobLock,
  jobLocksOf,
  jobRelease,
  readJob,
  whileConnected,
  whileIdle,
  whileUntested,
} from './job-lock.ts';
export { listRootCollections } from './list-root-collections.ts';
export {
  assertNotLeaving,
  filterVisible,
  isInMove,
  notLeaving,
  notMoving,
  projectMoving,
  whileNotMoving,
} from './move-visibility.ts';
export { openSource } from './open-source.ts';
export { probeProject } from './probe-project.ts';
export { projectData } from './project-data.ts';
export { addReads, type DayOfReads, noReads, type Reads, readDays, totalReads, utcDate } from './read-days.ts';
export { editionOf, projectReadPrice } from './read-price.ts';
export { listProjects, projectNotFound, readProject, readProjectNames, walkProjects } from './read-project.ts';
export { probeAndRecord, reconnectProject } from './reconnect-project.ts';
export { type Connection, type JobLock, type MoveRecord, type ProjectRecord, projectKey, projectPrefix } from './record.ts';
export { refreshDatabaseInfo } from './refresh-database-info.ts';
export { moveConnection } from './source-token.ts';
export { attributesOf, principalOf } from './trusted-attributes.ts';
export { updateProject } from './update-project.ts';
export { findProviderFlaw } from './workload-identity-connection.ts';
export { workloadIdentitySetup } from './workload-identity-setup.ts';
