// Files that this process has from whoever started it, and that belong to the command. What we keep open of
// them would keep a pipe open that the command has closed.
#pragma once

namespace sluice::wrap {

// A closed standard file stays closed for the command (close-on-exec), and no file of ours gets its number.
void OccupyStandardFiles();
// Puts /dev/null in the place of these.
void NullFiles(int first, int last);
// Closes everything beyond standard error but `keep`. REQUIRES: keep is beyond it.
void CloseOthers(int keep);

}  // namespace sluice::wrap
