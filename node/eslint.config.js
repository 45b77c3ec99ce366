'use strict';
/** ESLint's recommended rules and a few of this package's own. */
const js = require('@eslint/js');

const node = Object.fromEntries(
  [
    'AbortController',
    'AbortSignal',
    'Buffer',
    'URL',
    'clearImmediate',
    'clearInterval',
    'clearTimeout',
    'console',
    'process',
    'queueMicrotask',
    'setImmediate',
    'setInterval',
    'setTimeout',
    'structuredClone',
    'performance',
    'TextDecoder',
    'TextEncoder',
    'fetch',
  ].map((name) => [name, 'readonly']),
);
const commonJs = {
  ...node,
  require: 'readonly',
  module: 'writable',
  exports: 'writable',
  __dirname: 'readonly',
  __filename: 'readonly',
};

module.exports = [
  { ignores: ['node_modules/**', 'lib/remote/wire/schema.js', 'lib/vocabulary.js'] },
  js.configs.recommended,
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: { ecmaVersion: 2023, sourceType: 'commonjs', globals: commonJs },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { ecmaVersion: 2023, sourceType: 'module', globals: node },
  },
  {
    // Test runners replace these while a test runs; lib/timers.js has the real ones.
    files: ['lib/**/*.js'],
    ignores: ['lib/timers.js'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['clearImmediate', 'clearInterval', 'clearTimeout', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'],
      ],
      'no-restricted-properties': ['error', { object: 'process', property: 'nextTick' }],
    },
  },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': ['error', { destructuring: 'all', ignoreReadBeforeAssign: true }],
      'no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all', ignoreRestSiblings: true },
      ],
      'no-throw-literal': 'error',
      'object-shorthand': 'error',
      strict: ['error', 'global'],
    },
  },
];
