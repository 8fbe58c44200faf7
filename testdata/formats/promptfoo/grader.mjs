// A model that grades: it answers by rules, so that every run gives the same bytes. No network.
export default class Grader {
  id() {
    return 'desk-grader';
  }

  async callApi(prompt) {
    const tokenUsage = { total: 30, prompt: 20, completion: 10 };
    const reply = (output) => ({ output, tokenUsage });
    if (prompt.startsWith('CLOSED')) {
      return reply(/ten|10/.test(prompt) ? 'It says when. Y' : 'It does not say when. N');
    }
    if (prompt.startsWith('FACTS')) {
      return reply(prompt.includes('fee') ? '(C) Both name the same fee.' : '(D) They contradict each other.');
    }
    if (prompt.includes('NO VERDICT')) {
      return { error: 'the grading model refused', tokenUsage };
    }
    if (prompt.includes('NO PASS')) {
      return reply({ reason: 'The reply says nothing of a pass.', score: 0 });
    }
    if (prompt.includes('HALF')) {
      return reply({ pass: true, score: 0.5, reason: 'Half of it is there.' });
    }
    if (prompt.includes('NOT JSON')) {
      return reply('I would say yes.');
    }
    const met = /14 days|10 cents/.test(prompt);
    return reply({ pass: met, score: met ? 1 : 0, reason: met ? 'The number is given.' : 'No number is given.' });
  }
}
