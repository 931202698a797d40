/** The pages and their addresses. Every page but the overview is loaded when it is first visited. */
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  type LocationRewrite,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isSignedOut, onSignedOut, queryClient } from './api/query-client.ts';
import { currentMembership, rememberedOrganization, sessionQuery, takeReturnTo } from './api/session.ts';
import { keepEdits } from './api/use-kept-edits.ts';
import { documentQuery } from './data/api-reference.ts';
import { overviewFilters, prefetchOverview } from './data/overview.ts';
import { Frame } from './frame/frame.tsx';
import { NotFound, PageError, PagePending } from './frame/page-states.tsx';
import { PersonFrame } from './frame/person-frame.tsx';
import { lazyPage } from './lazy-page.ts';
import { OverviewPage } from './pages/overview/page.tsx';
import { paths } from './paths.ts';
import { parseSearch, stringifySearch } from './search-text.ts';
import { Toasts } from './ui/overlay/toast.tsx';

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <Toasts />
    </>
  ),
  notFoundComponent: NotFound,
});

/** Lets signed-in people pass; others sign in first and come back. */
const requireSession = async (href: string) => {
  try {
    return await queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    throw redirect({ to: '/sign-in', search: { returnTo: href } });
  }
};

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    // Starts with the script, not after the session is known: the overview shows one round trip earlier.
    const organizationId = rememberedOrganization();
    if (organizationId && location.pathname === paths.overview)
      prefetchOverview(organizationId, overviewFilters(location.search));
    await requireSession(location.href);
    const returnTo = takeReturnTo();
    if (returnTo !== undefined && returnTo !== location.href) throw redirect({ href: returnTo });
  },
});

const inOrganization = createRoute({
  getParentRoute: () => signedIn,
  id: 'in-organization',
  beforeLoad: async () => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (!currentMembership(session)) throw redirect({ to: '/start' });
  },
  component: Frame,
});

/** Pages that need no organization. */
const ofPerson = createRoute({ getParentRoute: () => signedIn, id: 'of-person', component: PersonFrame });

/** A page of another resource starts anew: what was typed for one must not be saved for another. */
const page = (parent: AnyRoute, path: string, ...script: Parameters<typeof lazyPage>) =>
  createRoute({ getParentRoute: () => parent, path, component: lazyPage(...script), remountDeps: ({ params }) => params });

const overview = createRoute({
  getParentRoute: () => inOrganization,
  path: '/',
  component: OverviewPage,
});

const project = page(inOrganization, '/projects/$projectId', () => import('./pages/project/page.tsx'), 'ProjectPage');
const backup = page(inOrganization, '/backups/$backupId', () => import('./pages/backup/page.tsx'), 'BackupPage');

/** Public. The API description is fetched while the page's script loads. */
const docs = createRoute({
  getParentRoute: () => root,
  path: '/docs',
  beforeLoad: () => void queryClient.prefetchQuery(documentQuery),
  component: lazyPage(() => import('./pages/docs/docs-frame.tsx'), 'DocsFrame'),
});

const routeTree = root.addChildren([
  page(root, '/sign-in', () => import('./pages/sign-in/page.tsx'), 'SignInPage'),
  docs.addChildren([
    page(docs, '/', () => import('./pages/docs/home.tsx'), 'DocsHome'),
    page(docs, '/$page', () => import('./pages/docs/page.tsx'), 'DocsPage'),
  ]),
  page(root, '/invitations/$token', () => import('./pages/invitation/page.tsx'), 'InvitationPage'),
  signedIn.addChildren([
    page(signedIn, '/device', () => import('./pages/device/page.tsx'), 'DevicePage'),
    page(signedIn, '/start', () => import('./pages/first-run/page.tsx'), 'FirstRunPage'),
    ofPerson.addChildren([page(ofPerson, '/sessions', () => import('./pages/sessions/page.tsx'), 'SessionsPage')]),
    inOrganization.addChildren([
      overview,
      page(inOrganization, '/projects', () => import('./pages/projects/page.tsx'), 'ProjectsPage'),
      page(inOrganization, '/projects/new', () => import('./pages/project/connection/connect-page.tsx'), 'ConnectProjectPage'),
      project.addChildren([
        page(project, '/', () => import('./pages/backups/backups-tab.tsx'), 'BackupsTab'),
        page(project, '/schedules', () => import('./pages/schedules/schedules-tab.tsx'), 'SchedulesTab'),
        page(project, '/point-in-time', () => import('./pages/project/point-in-time/tab.tsx'), 'PointInTimeTab'),
        page(project, '/reads', () => import('./pages/project/reads/reads-tab.tsx'), 'ReadsTab'),
        page(project, '/settings', () => import('./pages/project/settings-tab.tsx'), 'SettingsTab'),
        page(project, '/erasures', () => import('./pages/project/erasures/erasures-tab.tsx'), 'ErasuresTab'),
        page(project, '/move', () => import('./pages/project/move-tab.tsx'), 'MoveTab'),
      ]),
      page(inOrganization, '/backups', () => import('./pages/backups/page.tsx'), 'BackupsPage'),
      backup.addChildren([
        page(backup, '/', () => import('./pages/backup/details/details-tab.tsx'), 'DetailsTab'),
        page(backup, '/browse', () => import('./pages/backup/browse/browse-tab.tsx'), 'BrowseTab'),
        page(backup, '/configuration', () => import('./pages/backup/configuration/configuration-tab.tsx'), 'ConfigurationTab'),
        page(backup, '/compare', () => import('./pages/backup/compare/compare-tab.tsx'), 'CompareTab'),
      ]),
      page(inOrganization, '/find', () => import('./pages/find/page.tsx'), 'FindDocumentPage'),
      page(inOrganization, '/search', () => import('./pages/search/page.tsx'), 'SearchPage'),
      page(inOrganization, '/restores', () => import('./pages/restores/page.tsx'), 'RestoresPage'),
      page(inOrganization, '/restore/new', () => import('./pages/restore-wizard/page.tsx'), 'RestoreWizardPage'),
      page(inOrganization, '/restores/$restoreId', () => import('./pages/restore/page.tsx'), 'RestorePage'),
      page(inOrganization, '/exports', () => import('./pages/exports/page.tsx'), 'ExportsPage'),
      page(inOrganization, '/exports/new', () => import('./pages/new-export/page.tsx'), 'NewExportPage'),
      page(inOrganization, '/exports/$exportId', () => import('./pages/export/page.tsx'), 'ExportPage'),
      page(inOrganization, '/schedules', () => import('./pages/schedules/page.tsx'), 'SchedulesPage'),
      page(inOrganization, '/schedules/new', () => import('./pages/schedules/form/form-page.tsx'), 'NewSchedulePage'),
      page(inOrganization, '/schedules/$scheduleId', () => import('./pages/schedules/schedule-page.tsx'), 'SchedulePage'),
      page(
        inOrganization,
        '/schedules/$scheduleId/edit',
        () => import('./pages/schedules/form/form-page.tsx'),
        'EditSchedulePage',
      ),
      page(inOrganization, '/restore-tests', () => import('./pages/restore-tests/page.tsx'), 'RestoreTestsPage'),
      page(
        inOrganization,
        '/restore-tests/new',
        () => import('./pages/restore-tests/form/plan-form-page.tsx'),
        'NewRestoreTestPage',
      ),
      page(inOrganization, '/report', () => import('./pages/report/page.tsx'), 'ProtectionReportPage'),
      page(inOrganization, '/restore-tests/report', () => import('./pages/restore-tests/report/report-page.tsx'), 'ReportPage'),
      page(inOrganization, '/restore-tests/runs/$runId', () => import('./pages/restore-tests/run/run-page.tsx'), 'RunPage'),
      page(inOrganization, '/restore-tests/$restoreTestId', () => import('./pages/restore-tests/plan-page.tsx'), 'PlanPage'),
      page(
        inOrganization,
        '/restore-tests/$restoreTestId/edit',
        () => import('./pages/restore-tests/form/plan-form-page.tsx'),
        'EditRestoreTestPage',
      ),
      page(inOrganization, '/storage', () => import('./pages/storage/page.tsx'), 'StoragePage'),
      page(inOrganization, '/alerts', () => import('./pages/alerts/page.tsx'), 'AlertsPage'),
      page(inOrganization, '/alerts/$alertId', () => import('./pages/alerts/alert-page.tsx'), 'AlertPage'),
      page(inOrganization, '/alerts/incidents/$incidentId', () => import('./pages/alerts/incident-page.tsx'), 'IncidentPage'),
      page(inOrganization, '/webhooks', () => import('./pages/webhooks/page.tsx'), 'WebhooksPage'),
      page(inOrganization, '/webhooks/$webhookId', () => import('./pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
      page(inOrganization, '/audit', () => import('./pages/audit/page.tsx'), 'AuditPage'),
      page(inOrganization, '/team', () => import('./pages/team/page.tsx'), 'TeamPage'),
      page(inOrganization, '/api-keys', () => import('./pages/api-keys/page.tsx'), 'ApiKeysPage'),
      page(inOrganization, '/organization', () => import('./pages/organization/page.tsx'), 'OrganizationPage'),
      // Unknown addresses keep the frame; people who are not signed in sign in first.
      createRoute({ getParentRoute: () => inOrganization, path: '$', component: NotFound }),
    ]),
  ]),
]);

/** Pages are below /console; the API docs have a shorter address of their own. */
const isDocs = (path: string): boolean => /^\/docs(\/|$)/.test(path);
const rewrite: LocationRewrite = {
  input: ({ url }) => {
    if (!isDocs(url.pathname)) url.pathname = url.pathname.replace(/^\/console(?=\/|$)/, '') || '/';
    return url;
  },
  output: ({ url }) => {
    if (!isDocs(url.pathname)) url.pathname = `/console${url.pathname === '/' ? '' : url.pathname}`;
    return url;
  },
};

export const router = createRouter({
  routeTree,
  rewrite,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
});

onSignedOut((during) => {
  const { href, pathname, search } = router.latestLocation;
  // A read may have found it before a change that was under way.
  if (pathname === '/sign-in') {
    if (during === 'change') void router.navigate({ to: '/sign-in', search: { ...search, ended: during }, replace: true });
    return;
  }
  keepEdits();
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { returnTo: href, ended: during } });
});
