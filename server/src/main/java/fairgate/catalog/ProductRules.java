package fairgate.catalog;

import fairgate.catalog.Product.Details;
import java.util.ArrayList;
import java.util.List;

/// What a product's own fields must be.
final class ProductRules {
  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_URL = 2_000;
  private static final int LONGEST_KEY = 200;

  /// A thousand units of it still fit a double exactly, which is what Lua counts with.
  private static final long HIGHEST_PRICE = 1_000_000_000_000L;

  private static final int LONGEST_DURATION = 36_500;

  private ProductRules() {}

  static List<PolicyProblem> check(Details details) {
    List<PolicyProblem> problems = new ArrayList<>();
    length(problems, "name", details.name(), 1, LONGEST_NAME);
    length(problems, "image_url", details.imageUrl(), 0, LONGEST_URL);
    range(problems, "price", details.price().minorUnits(), 0, HIGHEST_PRICE);
    if (!details.price().currency().matches("[A-Z]{3}")) {
      problems.add(PolicyProblem.of("currency", "currency"));
    }
    range(problems, "total_stock", details.totalStock(), 0, PolicyJson.MOST_UNITS);
    Integer days = details.durationDays();
    if (days != null) {
      range(problems, "duration_days", days, 1, LONGEST_DURATION);
    }
    return problems;
  }

  /// The batches of a policy are the plan for the whole stock.
  static List<PolicyProblem> checkPlan(Details details, SalePolicy policy) {
    long planned = policy.schedule().units();
    return policy.schedule().batches().isEmpty() || planned == details.totalStock()
        ? List.of()
        : List.of(PolicyProblem.of("total_stock", "batches_sum", Long.toString(planned)));
  }

  static List<PolicyProblem> checkBatch(int quantity, String key) {
    List<PolicyProblem> problems = new ArrayList<>();
    range(problems, "quantity", quantity, 1, PolicyJson.MOST_UNITS);
    length(problems, "key", key, 1, LONGEST_KEY);
    return problems;
  }

  private static void range(
      List<PolicyProblem> problems, String field, long value, long least, long most) {
    if (value < least || value > most) {
      problems.add(
          PolicyProblem.of(field, "out_of_range", Long.toString(least), Long.toString(most)));
    }
  }

  private static void length(
      List<PolicyProblem> problems, String field, String value, int least, int most) {
    if (value.length() < least || value.length() > most || (least > 0 && value.isBlank())) {
      problems.add(
          PolicyProblem.of(field, "bad_length", Integer.toString(least), Integer.toString(most)));
    }
  }
}
