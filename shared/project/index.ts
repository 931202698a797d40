export { type AuthUser, accountOf, listAuthUsers, readAuthUsers } from './auth-user.ts';
export { importAuthUsers, importedAtOnceMax, type Refused } from './auth-user-import.ts';
export { type KnownUser, lookUpAuthUsers } from './auth-user-lookup.ts';
export { isRedacted } from './auth-user-password.ts';
export { probeAuthUsers } from './auth-user-probe.ts';
export { removeAuthUsers } from './auth-user-removal.ts';
export { listRootCollections, type RootCollection } from './collection.ts';
export { connectionOf } from './connection.ts';
export { createProject, removeProject } from './creation.ts';
export { projectData } from './data.ts';
export { type HashConfig, letsShareEmails, readHashConfig } from './hash-config.ts';
export { openToolkit, type Toolkit } from './identity-toolkit.ts';
export {
  databaseLock,
  databaseOf,
  databaseRelease,
  jobLock,
  jobRelease,
  readJob,
  refuseBusy,
  whileConnected,
  whileIdle,
} from './job.ts';
export { movingAway, refuseLeaving, standingHere, whileStaying } from './moving.ts';
export { probeProject } from './probe.ts';
export { listProjects, noSuchProject, readProject } from './read.ts';
export { probeOrMark, reconnectProject } from './reconnection.ts';
export { type Connection, type JobRecord, type MoveRecord, type ProjectRecord, projectKey, projectPrefix } from './record.ts';
export { changeProject } from './settings.ts';
export { openSource } from './source.ts';
export { carryConnection } from './source-token.ts';
export { connectedWrite, unauthorizedWrite } from './standing.ts';
