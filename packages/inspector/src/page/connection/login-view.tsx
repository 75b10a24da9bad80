import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { Icon } from '../layout/icon.tsx';
import { login, loginProblem, RequestError } from './http.ts';

/** Asks for the token if the URL contains none or a wrong one. */
export function LoginView({ onDone }: { readonly onDone: () => void }): ComponentChild {
  return (
    <main class="empty">
      <h1 class="login-title">Coxswain</h1>
      <p>Open the address that the program printed when it started; it contains a token. Or paste that address here:</p>
      <LoginForm onDone={onDone} />
      <p class="small quiet">
        In a terminal of the same user, <code>cox ui --attach</code> prints it again.
      </p>
    </main>
  );
}

/** Above a page that was logged in: its server was restarted with another token. */
export function LoginBar({ onDone }: { readonly onDone: () => void }): ComponentChild {
  return (
    <div class="lost lost-login" role="status">
      <Icon name="warning" />
      <span class="grow">
        The server was restarted and has a new address. Paste it here, or open it; <code>cox ui --attach</code> prints
        it. Until then, this page shows what was last known.
      </span>
      <LoginForm onDone={onDone} />
    </div>
  );
}

function LoginForm({ onDone }: { readonly onDone: () => void }): ComponentChild {
  const token = useSignal('');
  const submit = async (): Promise<void> => {
    try {
      await login(token.value.trim().replace(/^.*#token=/, ''));
      onDone();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      loginProblem.value = error.message;
    }
  };
  return (
    <>
      <form
        class="login"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <input
          class="field"
          aria-label="Address or token"
          autocomplete="off"
          value={token.value}
          onInput={(event) => {
            token.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="button" disabled={token.value.trim() === ''}>
          Open
        </button>
      </form>
      {loginProblem.value === null ? null : <p role="alert">{loginProblem.value}</p>}
    </>
  );
}
