package fairgate.account;

import java.lang.Character.UnicodeScript;
import java.text.Normalizer;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Names that cannot be registered because they could impersonate others: names of staff, also with
/// look-alike letters, and names with mixed scripts.
///
/// The permitted mixtures are those of "highly restrictive" identifiers in UTS 39: one script, or
/// Latin with the scripts of Chinese, Japanese or Korean, whose letters do not look like Latin
/// ones. Existing names are not checked again.
final class UsernameRules {
  private static final Set<UnicodeScript> CHINESE =
      EnumSet.of(UnicodeScript.LATIN, UnicodeScript.HAN, UnicodeScript.BOPOMOFO);
  private static final Set<UnicodeScript> JAPANESE =
      EnumSet.of(
          UnicodeScript.LATIN, UnicodeScript.HAN, UnicodeScript.HIRAGANA, UnicodeScript.KATAKANA);
  private static final Set<UnicodeScript> KOREAN =
      EnumSet.of(UnicodeScript.LATIN, UnicodeScript.HAN, UnicodeScript.HANGUL);

  /// Letters and digits that look like Latin letters: those of UTS 39's confusables that make up
  /// whole words.
  private static final Map<Integer, Character> LOOK_ALIKES =
      lookAlikes(
          "аɑα:a вьЬβ:b сϲ:c ԁ:d еєε3:e ցɡ:g һհ:h іιıΙіӏ1lⅼ|!:i јϳ:j кκ:k мμ:m пηո:n"
              + " оοօσо0:o рρ:p ԛ:q гг:r ѕ5:s тτ:t цυսʋ:u ѵν:v ԝω:w хχ:x уγү:y 4:a 7:t");

  /// Letters that look like a Latin one, in capitals or small; no two of one script are the same.
  private static final Map<Integer, Character> ALIKE =
      lookAlikes(
          "аɑα:a вβ:b сϲ:c ԁ:d еε:e ɡց:g нһհ:h іιӏı1lⅼ:i јϳ:j кκ:k мμ:m пηո:n оοօ0:o рρ:p ԛ:q г:r"
              + " ѕ:s тτ:t цυսʋ:u ѵν:v ԝω:w хχ:x уγү:y");

  private static final Set<String> RESERVED =
      Stream.of(
              "admin administrator admins root system sysadmin sysop superuser su moderator mod"
                  + " mods support help helpdesk helpcenter contact security abuse staff team"
                  + " operator operators official service services customerservice"
                  + " customersupport webmaster postmaster hostmaster mailerdaemon noreply"
                  + " donotreply fairgate owner null undefined anonymous guest everyone nobody me"
                  + " self api www billing payment payments refund refunds 管理員 管理员 系統 系统"
                  + " 系統管理員 系统管理员 客服 客服中心 客服人員 客服人员 官方 官方客服 官方帳號 官方账号"
                  + " 站長 站长 版主 工作人員 工作人员 小編 小编 超級管理員 超级管理员")
          .flatMap(words -> Stream.of(words.split(" ", -1)))
          .map(UsernameRules::skeleton)
          .collect(Collectors.toUnmodifiableSet());

  private UsernameRules() {}

  /// The fault of a new name, as the rest of a message key; empty when there is none.
  static Optional<String> problem(Username name) {
    if (RESERVED.contains(skeleton(name.key()))) {
      return Optional.of("username_reserved");
    }
    return mixesScripts(name.shown()) ? Optional.of("username_scripts") : Optional.empty();
  }

  private static boolean mixesScripts(String name) {
    Set<UnicodeScript> scripts = EnumSet.noneOf(UnicodeScript.class);
    name.codePoints().mapToObj(UnicodeScript::of).forEach(scripts::add);
    scripts.remove(UnicodeScript.COMMON);
    scripts.remove(UnicodeScript.INHERITED);
    return scripts.size() > 1
        && !CHINESE.containsAll(scripts)
        && !JAPANESE.containsAll(scripts)
        && !KOREAN.containsAll(scripts);
  }

  /// How a name looks: the same for two names that differ only in letters and digits that look
  /// alike, such as `l` and `1`, or Latin and Cyrillic ones. After the skeletons of UTS 39.
  static String look(Username name) {
    return mapped(name.key(), ALIKE, _ -> true);
  }

  /// The name as it looks at a glance: without accents and separators, one letter for all that look
  /// like it.
  private static String skeleton(String name) {
    return mapped(name, LOOK_ALIKES, Character::isLetterOrDigit);
  }

  private static String mapped(String name, Map<Integer, Character> letters, IntPredicate kept) {
    StringBuilder out = new StringBuilder(name.length());
    Normalizer.normalize(name.toLowerCase(Locale.ROOT), Normalizer.Form.NFKD)
        .codePoints()
        .filter(kept)
        .forEach(
            point -> {
              Character alike = letters.get(point);
              if (alike == null) {
                out.appendCodePoint(point);
              } else {
                out.append(alike.charValue());
              }
            });
    return out.toString().replace("rn", "m").replace("vv", "w");
  }

  private static Map<Integer, Character> lookAlikes(String groups) {
    return Stream.of(groups.split(" ", -1))
        .flatMap(
            group ->
                group
                    .substring(0, group.length() - 2)
                    .codePoints()
                    .distinct()
                    .mapToObj(point -> Map.entry(point, group.charAt(group.length() - 1))))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one));
  }
}
