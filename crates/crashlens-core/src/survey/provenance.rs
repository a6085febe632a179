//! Which copy of a distribution a file belongs to, what `PYTHONPATH` brought in, and what pip moved aside.

use super::{Distribution, NativeFile, Survey, normal_name};

/// Metadata that pip gave another name before it removed it, and then did not remove: `~umpy-1.26.4.dist-info`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedAside<'a> {
    /// The whole path.
    pub path: &'a str,
    /// The folder of packages that it is in.
    pub site: &'a str,
    /// The name without its first letter, in whose place pip put a tilde.
    pub tail: &'a str,
    /// Its version.
    pub version: &'a str,
}

impl Survey {
    /// Of files that bear the name of a distribution, those of this copy and not of another in another folder.
    pub fn of_copy<'a>(
        &self,
        distribution: &Distribution,
        files: &[&'a NativeFile],
    ) -> Vec<&'a NativeFile> {
        let name = &distribution.name;
        let mut copies = self.copies(name).chain(self.hidden_copies(name));
        // Some systems have the metadata in one folder and the libraries in another.
        let is_only = copies.all(|copy| copy.site() == distribution.site());
        let is_of_it =
            |file: &&NativeFile| is_only || self.site_of(&file.path) == Some(distribution.site());
        files.iter().copied().filter(is_of_it).collect()
    }

    /// The folder of packages that a file is in; of folders in each other the inmost.
    fn site_of(&self, path: &str) -> Option<&str> {
        let sites = self.python.known()?.sites.iter();
        let sites = sites.map(|site| site.trim_end_matches('/'));
        let is_inside = |site: &&str| {
            let rest = path.strip_prefix(site);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        sites.filter(is_inside).max_by_key(|site| site.len())
    }

    /// Whether Python finds a distribution because `PYTHONPATH` names its folder.
    pub fn is_by_pythonpath(&self, distribution: &Distribution) -> bool {
        let named = self.variable("PYTHONPATH").unwrap_or_default();
        let mut named = named.split(':').filter(|folder| !folder.is_empty());
        named.any(|folder| folder.trim_end_matches('/') == distribution.site())
    }

    /// What pip moved aside and did not remove, where nothing is installed under a name that fits.
    pub fn moved_aside(&self) -> Vec<MovedAside<'_>> {
        let moved = self.leftovers.iter().filter_map(|path| moved(path));
        moved
            .filter(|moved| !self.distributions.iter().any(|it| moved.fits(&it.name)))
            .collect()
    }
}

impl MovedAside<'_> {
    /// Whether it may have had this name.
    pub fn fits(&self, name: &str) -> bool {
        let mut letters = normal_name(name);
        !letters.is_empty() && {
            letters.remove(0);
            letters == normal_name(self.tail)
        }
    }
}

fn moved(path: &str) -> Option<MovedAside<'_>> {
    let (site, name) = path.trim_end_matches('/').rsplit_once('/')?;
    let name = name.strip_prefix('~')?.strip_suffix(".dist-info")?;
    let (tail, version) = name.split_once('-')?;
    (!tail.is_empty()).then_some(MovedAside {
        path,
        site,
        tail,
        version,
    })
}
