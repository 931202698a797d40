import { type AuthRequest, authRoutes } from './routes.ts';
import { openUsers, type Users } from './users.ts';

export type { AuthRequest, Users };
export { authRoutes, openUsers };
