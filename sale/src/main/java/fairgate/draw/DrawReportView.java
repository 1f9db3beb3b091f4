package fairgate.draw;

import fairgate.draw.DrawRecords.Count;
import fairgate.draw.DrawView.Fact;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.lots.FairnessTests;
import fairgate.platform.http.Reply;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Renders the page of a whole draw, for operators and press.
record DrawReportView(PageFrame frame) {
  private static final double UNUSUAL = 4;

  /// What the page of the whole draw shows beside the draw itself.
  record Facts(
      String logKey,
      List<Count> absences,
      List<Count> passes,
      Optional<FairnessTests> tests,
      List<Draw> others) {}

  record Row(String kind, String reason, String count) {}

  record Test(
      String name, String statistic, String freedom, String z, String verdict, boolean isGood) {}

  /// The page of the whole draw.
  ///
  /// @param account empty before the end
  /// @param accountMissing why there is none yet
  /// @param late that the draw waits for its beacon; empty if it does not
  /// @param testsMissing why there are no tests; empty if there are
  /// @param chains the options with which the verifiers accept the beacon chains; empty for
  ///   quicknet
  record Report(
      String id,
      String title,
      String late,
      List<Fact> account,
      String accountMissing,
      List<Row> passes,
      List<Row> absences,
      List<Test> tests,
      String testsMissing,
      List<Fact> evidence,
      String chains,
      List<DrawView.Other> others) {}

  Reply page(Visit visit, Draw draw, Facts facts) {
    Report report =
        new Report(
            draw.id(),
            draw.terms().title(),
            DrawView.late(visit, draw),
            draw.report().map(it -> account(visit, it.report())).orElse(List.of()),
            visit
                .wording()
                .text(
                    draw.state() == Draw.State.ABORTED
                        ? "draws.account.aborted"
                        : "draws.account.later"),
            rows(visit, facts.passes()),
            rows(visit, facts.absences()),
            facts.tests().map(tests -> tests(visit, tests)).orElse(List.of()),
            testsMissing(visit, draw, facts),
            evidence(visit, draw, facts.logKey()),
            chains(draw),
            DrawView.others(visit, facts.others()));
    return frame.reply(
        visit,
        200,
        PageFrame.Content.plain(
                draw.terms().title(),
                out -> JtedrawReportGenerated.render(out, null, visit.wording(), report))
            .withSheet("draw.css"));
  }

  private static String chains(Draw draw) {
    return Stream.concat(Stream.of(draw.rules().beacon()), draw.rules().secondBeacon().stream())
        .map(BeaconRound::chain)
        .filter(chain -> !chain.equals(BeaconChain.QUICKNET.hash()))
        .map(chain -> " --chain " + chain)
        .collect(Collectors.joining());
  }

  private static List<Fact> account(Visit visit, AllocationReport report) {
    Wording w = visit.wording();
    return List.of(
        number(w, "draws.account.stock", report.stock()),
        number(w, "draws.account.held", report.holdbacks()),
        number(w, "draws.account.issued", report.issued()),
        number(w, "draws.account.passed", report.passed()),
        number(w, "draws.account.unsold", report.unsold()));
  }

  private static Fact number(Wording w, String key, long number) {
    return new Fact(w.text(key), w.number(number));
  }

  private static List<Row> rows(Visit visit, List<Count> counts) {
    return counts.stream()
        .map(
            each ->
                new Row(
                    each.kind().equals("passed")
                        ? ""
                        : visit.wording().text("draws.absent." + each.kind()),
                    DrawView.reason(visit, each.reason()),
                    visit.wording().number(each.count())))
        .toList();
  }

  private static List<Test> tests(Visit visit, FairnessTests tests) {
    return List.of(test(visit, "marginal", tests.marginal()), test(visit, "joint", tests.joint()));
  }

  private static Test test(Visit visit, String name, FairnessTests.ChiSquare found) {
    boolean isGood = found.z() < UNUSUAL;
    Locale locale = visit.wording().locale();
    return new Test(
        visit.wording().text("draws.tests." + name),
        String.format(locale, "%.1f", found.statistic()),
        visit.wording().number(found.degreesOfFreedom()),
        String.format(locale, "%.2f", found.z()),
        visit.wording().text(isGood ? "draws.tests.good" : "draws.tests.bad"),
        isGood);
  }

  private static String testsMissing(Visit visit, Draw draw, Facts facts) {
    if (facts.tests().isPresent()) {
      return "";
    }
    return visit
        .wording()
        .text(draw.result().isPresent() ? "draws.tests.few" : "draws.tests.later");
  }

  private static List<Fact> evidence(Visit visit, Draw draw, String logKey) {
    Wording w = visit.wording();
    List<Fact> all = new ArrayList<>();
    all.add(code(w, "log", logKey));
    all.add(code(w, "rules", draw.rules().hash().hex()));
    draw.rules().witnesses().forEach(key -> all.add(code(w, "witnesses", key.text())));
    all.add(code(w, "chain", draw.beaconRound().chain()));
    all.add(code(w, "round", Long.toString(draw.beaconRound().round())));
    Optional<HouseLeaf.Seal> seal = draw.seal();
    seal.ifPresent(it -> all.add(code(w, "root", it.head().root().hex())));
    seal.ifPresent(it -> all.add(code(w, "seal", it.hash().hex())));
    draw.beacon()
        .ifPresent(it -> all.add(code(w, "signature", HexFormat.of().formatHex(it.signature()))));
    DrawJson.seed(draw).ifPresent(it -> all.add(code(w, "seed", it.hex())));
    draw.result().ifPresent(it -> all.add(code(w, "result", it.order().root().hex())));
    return all;
  }

  private static Fact code(Wording w, String name, String text) {
    return new Fact(w.text("draws.ev." + name), text);
  }
}
