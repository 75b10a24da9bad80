import { readdirSync, readFileSync } from 'node:fs';
import type { Language, PackageManager } from './choices.ts';
import { scriptCommand } from './package-manager.ts';

/** The files of a project, by their path with `/` in the project. */
export type Files = ReadonlyMap<string, string>;

/** How the template is adapted to a project. */
export interface TemplateChoice {
  readonly language: Language;
  readonly manager: PackageManager;
  readonly agentFolder: string;
  /** True for `.mts` and `.mjs`, in packages whose `.js` files are CommonJS. */
  readonly moduleExtension: boolean;
}

const TEMPLATE = new URL('../template/', import.meta.url);

/** The ending of the code files: ts, js, mts or mjs. */
export function extensionOf({
  language,
  moduleExtension,
}: Pick<TemplateChoice, 'language' | 'moduleExtension'>): string {
  return `${moduleExtension ? 'm' : ''}${language === 'typescript' ? 'ts' : 'js'}`;
}

/** The agent, its test, its rehearsal and the recorded conversations. */
export function templateFiles(choice: TemplateChoice): Files {
  const { language, manager, agentFolder } = choice;
  const extension = extensionOf(choice);
  const adapt = (text: string): string =>
    text
      .replaceAll('npm test', scriptCommand(manager, 'test'))
      .replace(/(?<='\.\/agent)\.[jt]s(?=')/g, `.${extension}`);
  const code = contents(`${language}/`).map(([name, text]) => [name.replace(/[jt]s$/, extension), text] as const);
  const conversations = contents('conversations/').map(([name, text]) => [`conversations/${name}`, text] as const);
  const all = [...code, ...conversations].map(([name, text]) => [`${agentFolder}/${name}`, adapt(text)] as const);
  return new Map(language === 'typescript' ? [...all, [`${agentFolder}/tsconfig.json`, TSCONFIG]] : all);
}

function contents(folder: string): (readonly [name: string, text: string])[] {
  const place = new URL(folder, TEMPLATE);
  return readdirSync(place)
    .sort()
    .map((name) => [name, readFileSync(new URL(name, place), 'utf8')] as const);
}

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    },
    include: ['.'],
  },
  null,
  2,
)}\n`;
