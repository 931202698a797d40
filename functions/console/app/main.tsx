import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { watchPerson } from './api/stored-choices.ts';
import { adoptStyles } from './design/adopt-styles.ts';
import { applyTheme } from './design/theme.ts';
import { router } from './router.tsx';

adoptStyles();
applyTheme();
watchPerson();

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no element with the id root');
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
