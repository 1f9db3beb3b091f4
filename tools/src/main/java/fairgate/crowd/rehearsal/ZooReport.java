package fairgate.crowd.rehearsal;

import static fairgate.crowd.rehearsal.ReportTable.number;

import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The report of the attack zoo, as text and as one self-contained HTML page of the same tables.
public final class ZooReport {
  private static final int MEDIAN = 50;
  private static final int P95 = 95;
  private static final int WORST = 100;

  private ZooReport() {}

  /// For the terminal.
  public static String text(ZooResult result) {
    String tables = tables(result).stream().map(ReportTable::text).collect(Collectors.joining());
    return tables + '\n' + summary(result) + '\n';
  }

  /// The page.
  ///
  /// @param when for the heading
  public static String html(ZooResult result, String when) {
    StringOutput page = new StringOutput();
    JtezooGenerated.render(new OwaspHtmlTemplateOutput(page), null, result, when);
    return page.toString();
  }

  static List<ReportTable> tables(ZooResult result) {
    return List.of(
        contract(result),
        crowds(result),
        costs(result),
        Prices.table(),
        risk(result),
        grades(result),
        evidence(result),
        honest(result),
        refusals(result));
  }

  static String summary(ZooResult result) {
    long broken = count(result, ZooResult.Verdict.BROKEN);
    long held = count(result, ZooResult.Verdict.HOLDS);
    long open = count(result, ZooResult.Verdict.NOT_JUDGED);
    String lines =
        String.format(
            Locale.ROOT, "%d lines hold, %d are broken, %d were not judged.", held, broken, open);
    return result.problems().isEmpty()
        ? lines
        : lines + " Faults: " + String.join("; ", result.problems()) + ".";
  }

  private static long count(ZooResult result, ZooResult.Verdict verdict) {
    return result.judgements().stream().filter(one -> one.verdict() == verdict).count();
  }

  private static ReportTable contract(ZooResult result) {
    List<List<String>> rows =
        result.judgements().stream()
            .map(
                one ->
                    List.of(
                        "(" + one.bound().crowd() + ")",
                        one.bound().identity().word(),
                        one.bound().text(),
                        one.reason().isEmpty()
                            ? one.verdict().text()
                            : one.verdict().text() + ": " + one.reason(),
                        one.measured(),
                        one.bound().boundText()))
            .toList();
    return new ReportTable(
        "Contract", 4, List.of("crowd", "identity", "value", "verdict", "measured", "bound"), rows);
  }

  private static ReportTable crowds(ZooResult result) {
    return new ReportTable(
        "What each crowd got, and what a unit cost it",
        3,
        List.of(
            "crowd",
            "",
            "identity",
            "people",
            "places",
            "units",
            "% of stock",
            "refused attempts",
            "core-s",
            "addresses",
            "numbers",
            "places/unit",
            "core-s/unit",
            "addresses/unit",
            "numbers/unit"),
        result.crowds().stream().map(ZooReport::crowd).toList());
  }

  private static List<String> crowd(CrowdResult one) {
    List<String> row = new ArrayList<>(names(one));
    row.add(number(one.people().size()));
    row.add(number(one.places()));
    row.add(number(one.units()));
    row.add(number(one.shareOfStock()));
    row.add(number(one.refusedAttempts().values().stream().mapToInt(Integer::intValue).sum()));
    row.add(number(one.coreSeconds()));
    row.add(number(one.addresses()));
    row.add(number(one.numbers()));
    row.add(perUnit(one, one.places()));
    row.add(perUnit(one, one.coreSeconds()));
    row.add(perUnit(one, one.addresses()));
    row.add(perUnit(one, one.numbers()));
    return row;
  }

  private static ReportTable costs(ZooResult result) {
    return new ReportTable(
        "Cost of each crowd by the prices below, euro",
        3,
        List.of(
            "crowd",
            "",
            "identity",
            "in all",
            "a place",
            "a unit",
            "% of stock for 1",
            "honest places for a place"),
        result.crowds().stream().map(ZooReport::cost).toList());
  }

  private static List<String> cost(CrowdResult one) {
    List<String> row = new ArrayList<>(names(one));
    row.add(number(one.cost()));
    row.add(one.places() == 0 ? "-" : number(one.cost() / one.places()));
    row.add(perUnit(one, one.cost()));
    row.add(number(one.shareOfStock() / one.cost()));
    row.add(one.places() == 0 ? "-" : number(one.timesHonestCost()));
    return row;
  }

  private static ReportTable risk(ZooResult result) {
    return new ReportTable(
        "Places behind others by their risk, and appeals",
        3,
        List.of(
            "crowd",
            "",
            "identity",
            "people",
            "behind",
            "% of units in front",
            "honest",
            "honest behind",
            "appeals filed",
            "problems"),
        result.crowds().stream().map(ZooReport::risk).toList());
  }

  private static List<String> risk(CrowdResult one) {
    List<String> row = new ArrayList<>(names(one));
    row.add(number(one.people().size()));
    row.add(number(CrowdResult.behind(one.people())));
    row.add(number(one.percentInFront()));
    row.add(number(one.honest().size()));
    row.add(number(CrowdResult.behind(one.honest())));
    row.add(number(one.appealsFiled()));
    row.add(String.join("; ", one.appealProblems().stream().distinct().limit(5).toList()));
    return row;
  }

  /// Whom each grade of risk met, over all crowds: how many of the programs it found, and how many
  /// people it bothered. A person can meet several.
  private static ReportTable grades(ZooResult result) {
    List<Attendance> people = new ArrayList<>();
    List<Attendance> programs = new ArrayList<>();
    for (CrowdResult one : result.crowds()) {
      people.addAll(one.honest());
      (one.crowd().honest() ? people : programs).addAll(one.people());
    }
    List<List<String>> rows = new ArrayList<>();
    for (Grade grade : Grade.values()) {
      rows.add(
          List.of(
              grade.action(),
              number(met(grade, programs)),
              percent(met(grade, programs), programs.size()),
              number(met(grade, people)),
              percent(met(grade, people), people.size())));
    }
    return new ReportTable(
        "Whom each grade of risk met, of "
            + number(programs.size())
            + " programs and "
            + number(people.size())
            + " people",
        1,
        List.of("grade", "programs found", "% of programs", "people bothered", "% of people"),
        rows);
  }

  private static long met(Grade grade, List<Attendance> all) {
    return all.stream().filter(one -> one.got(grade)).count();
  }

  private static String percent(long part, int whole) {
    return whole == 0 ? "-" : number(100.0 * part / whole);
  }

  /// One row for each rule, and one for all together.
  private static ReportTable evidence(ZooResult result) {
    List<List<String>> rows = new ArrayList<>();
    for (CrowdResult one : result.crowds()) {
      Set<String> rules = one.crowd().honest() ? Set.of() : one.sparingRules();
      for (String code : rules) {
        rows.add(evidence(one, code, Set.of(code), number(one.percentFoundOnlyBy(code, rules))));
      }
      if (!rules.isEmpty()) {
        rows.add(evidence(one, "all together", rules, ""));
      }
    }
    return new ReportTable(
        "Bots found by each evidence that would challenge at most 0.5 % of people twice",
        4,
        List.of("crowd", "", "identity", "rule", "% found", "% by it alone", "% of people"),
        rows);
  }

  private static List<String> evidence(
      CrowdResult one, String name, Set<String> rules, String onlyByIt) {
    List<String> row = new ArrayList<>(names(one));
    row.add(name);
    row.add(number(one.percentFound(rules)));
    row.add(onlyByIt);
    row.add(number(one.percentOfHonest(rules)));
    return row;
  }

  private static String perUnit(CrowdResult one, double resource) {
    return one.units() == 0 ? "-" : number(resource / one.units());
  }

  /// One row for the control group of each crowd, and one for the crowd itself if it is honest.
  private static ReportTable honest(ZooResult result) {
    List<List<String>> rows = new ArrayList<>();
    for (CrowdResult one : result.crowds()) {
      List<Attendance> alone = one.alone().parties().getFirst().people();
      List<String> row = people(one, "honest visitors", one.honest());
      row.add(number(one.delay(MEDIAN)));
      row.add(number(one.delay(WORST)));
      row.add(number(CrowdResult.timeToGetIn(alone, MEDIAN)));
      row.add(number(CrowdResult.timeToGetIn(alone, P95)));
      rows.add(row);
      if (one.crowd().honest()) {
        List<String> own = people(one, one.crowd().title(), one.people());
        own.addAll(List.of("-", "-", "-", "-"));
        rows.add(own);
      }
    }
    return new ReportTable(
        "Honest people (times in seconds, from the opening or the later arrival to the turn)",
        3,
        List.of(
            "crowd",
            "",
            "identity",
            "people",
            "got in",
            "units",
            "challenged twice",
            "refused",
            "median",
            "p95",
            "later: median",
            "later: worst",
            "alone: median",
            "alone: p95"),
        rows);
  }

  private static List<String> people(CrowdResult one, String who, List<Attendance> people) {
    List<String> row = new ArrayList<>();
    row.add("(" + one.crowd().letter() + ")");
    row.add(who);
    row.add(one.identity().word());
    row.add(number(people.size()));
    row.add(number(CrowdResult.gotIn(people)));
    row.add(number(people.stream().mapToInt(Attendance::units).sum()));
    row.add(number(CrowdResult.challengedTwice(people)));
    row.add(number(CrowdResult.refused(people)));
    row.add(number(CrowdResult.timeToGetIn(people, MEDIAN)));
    row.add(number(CrowdResult.timeToGetIn(people, P95)));
    return row;
  }

  private static ReportTable refusals(ZooResult result) {
    List<List<String>> rows = new ArrayList<>();
    for (CrowdResult one : result.crowds()) {
      one.refusedAttempts().entrySet().stream()
          .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
          .forEach(entry -> rows.add(refusal(one, entry)));
    }
    return new ReportTable(
        "Refused attempts of each crowd, by call and error code",
        4,
        List.of("crowd", "", "identity", "reason", "attempts"),
        rows);
  }

  private static List<String> refusal(CrowdResult one, Map.Entry<String, Integer> entry) {
    List<String> row = new ArrayList<>(names(one));
    row.add(entry.getKey());
    row.add(number(entry.getValue()));
    return row;
  }

  private static List<String> names(CrowdResult one) {
    return List.of("(" + one.crowd().letter() + ")", one.crowd().title(), one.identity().word());
  }
}
