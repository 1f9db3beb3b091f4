package fairgate.bench.challenge;

import com.google.gson.JsonObject;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import fairgate.testkit.HeadlessChromium;
import java.nio.file.Path;
import java.util.List;

/// The honest side: solvers in Chromium, in the page's thread, which Chromium can slow down, and in
/// a worker.
final class Telephone implements AutoCloseable {
  private static final String ORIGIN = "http://bench.localhost/";

  /// Solves a challenge in the page: `search` of our module, or the widget's worker as a script.
  private static final String IN_PAGE =
      """
      async ([file, challenge, runs]) => {
        const own = file === 'altcha-worker.js';
        const ours = own && await import('/' + file);
        if (!own) {
          await new Promise((resolve, reject) => {
            const script = document.createElement('script');
            Object.assign(script, { src: '/' + file, onload: resolve, onerror: reject });
            document.head.append(script);
          });
        }
        const solve = () => new Promise((resolve, reject) => {
          if (own) {
            const more = ours.search(challenge.parameters, 0, 1);
            while (!more(100).solution);
            return resolve();
          }
          const hear = ({ data }) => {
            if (!data.error && !('counter' in data)) return;
            removeEventListener('message', hear);
            data.error ? reject(data.error) : resolve();
          };
          addEventListener('message', hear);
          postMessage({ type: 'work', challenge, counterStart: 0, counterStep: 1, timeout: 0 });
        });
        const times = [];
        for (let run = 0; run < runs; run++) {
          const from = performance.now();
          await solve();
          times.push(performance.now() - from);
        }
        return times;
      }
      """;

  private static final String IN_WORKER =
      """
      async ([file, challenge, runs]) => {
        const own = file === 'altcha-worker.js';
        const worker = new Worker('/' + file, { type: own ? 'module' : 'classic' });
        const solve = () => new Promise((resolve, reject) => {
          worker.onerror = () => reject(new Error('worker'));
          worker.onmessage = ({ data }) => {
            if (data.error) reject(data.error);
            if (own ? data.solution : data) resolve();
          };
          worker.postMessage(own
            ? { parameters: challenge.parameters, start: 0, step: 1 }
            : { type: 'work', challenge, counterStart: 0, counterStep: 1, timeout: 0 });
        });
        const times = [];
        for (let run = 0; run < runs; run++) {
          const from = performance.now();
          await solve();
          times.push(performance.now() - from);
        }
        worker.terminate();
        return times;
      }
      """;

  private final Playwright playwright;
  private final Browser browser;
  private final Path ours;
  private final Path widget;

  /// @param ours the folder of `altcha-worker.js`
  /// @param widget the folder of the widget's workers
  Telephone(Path ours, Path widget) {
    this.ours = ours;
    this.widget = widget;
    this.playwright = HeadlessChromium.driver();
    this.browser = HeadlessChromium.launch(playwright);
  }

  /// Milliseconds to solve a challenge whose solution is `counter`, in the page's thread: one
  /// figure for each run.
  ///
  /// @param slower the factor by which Chromium slows the thread down
  double[] inPage(Puzzle puzzle, int counter, int runs, int slower) {
    return solve(IN_PAGE, puzzle, counter, runs, slower);
  }

  /// The same in a worker.
  double[] inWorker(Puzzle puzzle, int counter, int runs, int slower) {
    return solve(IN_WORKER, puzzle, counter, runs, slower);
  }

  private double[] solve(String script, Puzzle puzzle, int counter, int runs, int slower) {
    try (Page page = browser.newPage()) {
      page.route(ORIGIN + "**", this::serve);
      var _ = page.navigate(ORIGIN);
      CDPSession session = page.context().newCDPSession(page);
      JsonObject rate = new JsonObject();
      rate.addProperty("rate", slower);
      var _ = session.send("Emulation.setCPUThrottlingRate", rate);
      Object challenge = page.evaluate("text => JSON.parse(text)", puzzle.challenge(counter));
      List<?> times = (List<?>) page.evaluate(script, List.of(puzzle.worker(), challenge, runs));
      return times.stream().mapToDouble(time -> ((Number) time).doubleValue()).toArray();
    }
  }

  private void serve(Route route) {
    String name = route.request().url().substring(ORIGIN.length());
    if (!name.endsWith(".js")) {
      route.fulfill(
          new Route.FulfillOptions().setContentType("text/html").setBody("<!doctype html>"));
      return;
    }
    Path folder = name.startsWith("altcha") ? ours : widget;
    route.fulfill(
        new Route.FulfillOptions().setContentType("text/javascript").setPath(folder.resolve(name)));
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
