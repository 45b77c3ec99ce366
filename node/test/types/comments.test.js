'use strict';
/** Every declaration for programs, and each of its members, has a comment, which editors show. */
const assert = require('node:assert/strict');
const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { it } = require('node:test');
const ts = require('typescript');

const ROOT = join(__dirname, '..', '..');
const FILES = ['index.d.ts', 'testing.d.ts', ...readdirSync(join(ROOT, 'types')).map((file) => join('types', file))];

const hasComment = (node) => ts.getJSDocCommentsAndTags(node).length > 0;

/** The declarations without a comment, as `file:line name`. */
function uncommented(file) {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found = [];
  const report = (node) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${line + 1} ${node.name?.getText() ?? node.getText()}`);
  };
  const members = (list) => {
    let documented;
    for (const member of list) {
      const isPrivate = ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
      const name = member.name?.getText();
      if (hasComment(member)) documented = name;
      // Further overloads share the comment of the first.
      else if (!isPrivate && (name === undefined || name !== documented)) report(member);
      visit(member);
    }
  };
  const visit = (node) => {
    // Options that are declared in place, and the alternatives of a type, are described by the comment of their owner.
    if (ts.isMethodSignature(node) || ts.isMethodDeclaration(node) || ts.isParameter(node) || ts.isUnionTypeNode(node) || ts.isTypeParameterDeclaration(node)) return;
    if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)) members(node.members);
    else ts.forEachChild(node, visit);
  };
  let documented;
  for (const statement of source.statements) {
    if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
      const name = statement.name?.getText();
      if (hasComment(statement)) documented = name;
      else if (name === undefined || name !== documented) report(statement);
    }
    visit(statement);
  }
  return found;
}

it('declarations and members have comments', () => {
  assert.deepEqual(FILES.flatMap(uncommented), []);
});
