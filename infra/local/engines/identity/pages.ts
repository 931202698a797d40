/** The pages of the identity provider: sign-in, consent, users and errors. */
import { type Html, html, page } from '../../base/html.ts';
import type { Person } from './people.ts';

export type Page = ReturnType<typeof page>;

/** Scopes that cannot be declined. */
const always = new Set(['openid', 'email', 'profile']);

export const signInPage = (people: readonly Person[], scopes: readonly string[]): Page =>
  page(
    'Sign in',
    html`<p>This is the identity provider of the local stage. Choose any user; no password is needed.</p>
<form method="post">
<ul>${people.map(
      (person) =>
        html`<li><button name="email" value="${person.email}">${person.name} · ${person.email}</button>${
          person.emailVerified ? '' : html` <small>address not verified</small>`
        }</li>`,
    )}</ul>
${consent(scopes)}</form>
<form method="post"><input type="email" name="email" placeholder="anyone@example.com" required aria-label="E-mail address">
<button>Sign in</button></form>
<form method="post"><p><button name="deny" value="yes">Deny</button> <small>cancels the sign-in</small></p></form>`,
  );

const consent = (scopes: readonly string[]): Html => {
  const requested = scopes.filter((scope) => !always.has(scope));
  return html`${requested.length > 0 ? html`<p>The service also requests access. Clear what you want to decline:</p>` : ''}
<input type="hidden" name="chosen" value="yes">
<ul>${requested.map((scope) => html`<li><label><input type="checkbox" name="scope" value="${scope}" checked> ${scope}</label></li>`)}</ul>`;
};

/** Reads the sign-in form. Without check boxes (the form for another address) all requested scopes are granted. */
export const readSignIn = (
  form: URLSearchParams,
  requested: readonly string[],
): { email: string; granted: readonly string[]; rejected: readonly string[] } | 'denied' | undefined => {
  if (form.has('deny')) return 'denied';
  const email = form.get('email')?.trim() ?? '';
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254) return undefined;
  const ticked = new Set(form.getAll('scope'));
  const granted = requested.filter((scope) => always.has(scope) || !form.has('chosen') || ticked.has(scope));
  return { email, granted, rejected: requested.filter((scope) => !granted.includes(scope)) };
};

export const homePage = (people: readonly Person[], signInUrl: string): Page =>
  page(
    'Local identity provider',
    html`<p>In production this is Google. <a href="${signInUrl}">Sign in</a>, or add
<code>login_hint=&lt;e-mail&gt;</code> to the address to skip this page.</p>
<ul>${people.map(
      (
        person,
      ) => html`<li><a href="${signInUrl}?login_hint=${encodeURIComponent(person.email)}">${person.email}</a> ${person.name}
<form method="post" action="/people/${encodeURIComponent(person.email)}/grants"><button>Revoke access</button></form></li>`,
    )}</ul>`,
  );

export const errorPage = (message: string): Page => page('Sign-in failed', html`<p>${message}</p>`);
