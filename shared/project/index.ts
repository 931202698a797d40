export { type AuthUser, readAuthUsers } from './auth-user.ts';
export { projectData } from './data.ts';
export { jobLock, jobRelease, readJob, whileConnected, whileIdle } from './job.ts';
export { listProjects, readProject } from './read.ts';
export { type Connection, type JobRecord, type MoveRecord, type ProjectRecord, projectKey, projectPrefix } from './record.ts';
export { openSource } from './source.ts';
export { connectedWrite, unauthorizedWrite } from './standing.ts';
