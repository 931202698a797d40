import { type AuthRequest, authRoutes } from './routes.ts';
import { openUsers, type User, type Users } from './users.ts';

export type { AuthRequest, User, Users };
export { authRoutes, openUsers };
